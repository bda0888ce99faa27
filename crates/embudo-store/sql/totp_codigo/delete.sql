DELETE FROM totp_codigo WHERE usuario_id = :usuario
