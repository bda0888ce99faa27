INSERT INTO pausa (empresa_id, tipo, desde, quien) VALUES (:empresa, :tipo, :now, :quien)
ON CONFLICT (empresa_id, tipo) DO NOTHING
