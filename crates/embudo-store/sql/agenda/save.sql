INSERT INTO agenda (usuario_id, revision, datos) VALUES (:usuario, 1, :datos)
ON CONFLICT (usuario_id) DO UPDATE SET revision = agenda.revision + 1, datos = excluded.datos
