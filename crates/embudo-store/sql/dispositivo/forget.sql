DELETE FROM dispositivo WHERE id = :id
