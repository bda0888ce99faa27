-- No row: there is no such company, or it has as many in force as it may.
INSERT INTO clave_api (id, huella, empresa_id, nombre, prefijo, creada_por, creada_en)
SELECT :id::uuid, :huella::bytea, e.id, :nombre::text, :prefijo::text, :creada_por::text, :creada_en::timestamptz FROM empresa e
WHERE e.id = :empresa::uuid
AND (SELECT count(*) FROM clave_api WHERE empresa_id = :empresa::uuid AND revocada_en IS NULL) < :max::bigint
