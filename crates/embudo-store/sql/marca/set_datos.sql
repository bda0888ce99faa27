-- Writes no row if there is no such company. (SQLite's grammar needs the `WHERE` before `ON CONFLICT`.)
INSERT INTO marca (empresa_id, datos) SELECT id, :datos FROM empresa WHERE id = :empresa
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos
