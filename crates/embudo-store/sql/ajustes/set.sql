-- No row: there is no such company. (`WHERE` before `ON CONFLICT` is what SQLite's grammar needs.)
INSERT INTO ajustes (empresa_id, datos, conecta) SELECT id, :datos, :conecta FROM empresa WHERE id = :empresa
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos, conecta = excluded.conecta
