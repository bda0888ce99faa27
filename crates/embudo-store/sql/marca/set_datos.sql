-- No row: there is no such company. (`WHERE` before `ON CONFLICT` is what SQLite's grammar needs.)
INSERT INTO marca (empresa_id, datos) SELECT id, :datos FROM empresa WHERE id = :empresa
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos
