-- No row is written if there is no such company.
INSERT INTO marca (empresa_id, datos) SELECT e.id, :datos::text FROM empresa e WHERE e.id = :empresa::uuid
ON CONFLICT (empresa_id) DO UPDATE SET datos = excluded.datos
