-- No row: there is no such company.
INSERT INTO pertenencia (usuario_id, empresa_id, rol)
SELECT $1::uuid, empresa.id, $3::text FROM empresa WHERE empresa.id = $2::uuid
