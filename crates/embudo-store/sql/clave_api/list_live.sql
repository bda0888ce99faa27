-- The query adds its order.
SELECT id, empresa_id, huella, usada_en FROM clave_api WHERE revocada_en IS NULL
