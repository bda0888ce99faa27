-- ?1 empresa_id, ?2 datos. No row: there is no such company. (`WHERE` before `ON CONFLICT` is what SQLite's grammar needs.)
INSERT INTO marca (empresa_id, datos) SELECT id, ?2 FROM empresa WHERE id = ?1
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos
