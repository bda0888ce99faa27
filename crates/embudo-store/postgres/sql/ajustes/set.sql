-- No row is written if there is no such company.
INSERT INTO ajustes (empresa_id, datos, conecta) SELECT e.id, :datos::text, :conecta::text FROM empresa e WHERE e.id = :empresa::uuid
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos, conecta = excluded.conecta
