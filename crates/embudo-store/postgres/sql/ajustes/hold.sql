-- Makes sure of the row and holds it. No row: there is no such company.
INSERT INTO ajustes (empresa_id, datos) SELECT e.id, '{}' FROM empresa e WHERE e.id = :empresa::uuid
ON CONFLICT (empresa_id) DO UPDATE SET empresa_id = excluded.empresa_id
