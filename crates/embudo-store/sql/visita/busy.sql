-- When visits take people's time. The query adds whose and when.
SELECT v.id, v.inicio, v.fin
FROM visita_persona p
JOIN visita v ON v.lead_id = p.lead_id AND v.id = p.visita_id
