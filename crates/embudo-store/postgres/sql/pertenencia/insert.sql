-- No row: there is no such company.
INSERT INTO pertenencia (usuario_id, empresa_id, rol)
SELECT :usuario::uuid, empresa.id, :rol::text FROM empresa WHERE empresa.id = :empresa::uuid
