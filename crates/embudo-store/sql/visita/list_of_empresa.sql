-- Visits of a company, with the client's name. The query adds its conditions, order and limit.
SELECT
    v.id, v.lead_id, v.empresa_id, v.estado, v.revision, v.secuencia, v.huecos, v.inicio, v.minutos, v.direccion, v.personas, v.notas, v.medidas,
    v.creada_en, v.cambiada_en, v.cancelada_en, v.cancelada_por, l.nombre
FROM visita v
JOIN lead l ON l.id = v.lead_id
