INSERT INTO secreto (nombre, valor) VALUES (?1, ?2) ON CONFLICT (nombre) DO NOTHING
