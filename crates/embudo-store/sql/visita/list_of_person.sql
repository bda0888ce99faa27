-- Visits in people's calendars, with the client's name. The query adds its conditions, order and limit.
SELECT
    v.id, v.lead_id, v.empresa_id, v.estado, v.revision, v.secuencia, v.huecos, v.inicio, v.minutos, v.direccion, v.personas, v.notas, v.medidas,
    v.creada_en, v.cambiada_en, v.cancelada_en, v.cancelada_por, l.nombre
FROM visita_persona p
JOIN visita v ON v.lead_id = p.lead_id AND v.id = p.visita_id
JOIN lead l ON l.id = v.lead_id
