DELETE FROM dispositivo WHERE usuario_id = :usuario AND id = :id
