DELETE FROM dispositivo WHERE usuario_id = :usuario AND sesion_id = :sesion
