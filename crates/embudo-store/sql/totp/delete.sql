DELETE FROM totp WHERE usuario_id = :usuario
