-- The times of visits in people's calendars. The query adds its conditions, order and limit.
SELECT v.id, v.inicio, v.fin
FROM visita_persona p
JOIN visita v ON v.lead_id = p.lead_id AND v.id = p.visita_id
