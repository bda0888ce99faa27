DELETE FROM pertenencia WHERE usuario_id = :usuario
