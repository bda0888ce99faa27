DELETE FROM dispositivo WHERE endpoint = :endpoint
