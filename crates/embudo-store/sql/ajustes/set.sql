-- Writes no row if there is no such company. (SQLite's grammar needs the `WHERE` before `ON CONFLICT`.)
INSERT INTO ajustes (empresa_id, datos, conecta) SELECT id, :datos, :conecta FROM empresa WHERE id = :empresa
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos, conecta = excluded.conecta
