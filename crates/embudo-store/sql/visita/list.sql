-- The query adds its conditions, order and limit.
SELECT
    id, lead_id, empresa_id, estado, revision, secuencia, huecos, inicio, minutos, direccion, personas, notas, medidas, creada_en, cambiada_en,
    cancelada_en, cancelada_por
FROM visita
