-- The query adds its conditions and order.
SELECT id, empresa_id, nombre, prefijo, creada_por, creada_en, usada_en, usada_desde, revocada_en FROM clave_api
