-- The query adds its conditions, order and limit.
SELECT
    id, lead_id, empresa_id, tipo, carga, estado, intentos, proximo_en, en_duda, ultimo_error, creado_en, terminado_en, repite
FROM trabajo
