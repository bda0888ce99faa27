DELETE FROM recuperacion WHERE usuario_id = :usuario
