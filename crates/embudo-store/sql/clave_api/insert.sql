-- Writes no row if there is no such company, or it has the maximum of keys in force.
INSERT INTO clave_api (id, huella, empresa_id, nombre, prefijo, creada_por, creada_en)
SELECT :id, :huella, empresa.id, :nombre, :prefijo, :creada_por, :creada_en FROM empresa
WHERE empresa.id = :empresa
AND (SELECT count(*) FROM clave_api WHERE empresa_id = :empresa AND revocada_en IS NULL) < :max
