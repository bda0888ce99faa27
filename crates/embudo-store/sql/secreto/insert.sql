INSERT INTO secreto (nombre, valor) VALUES (:nombre, :valor) ON CONFLICT (nombre) DO NOTHING
