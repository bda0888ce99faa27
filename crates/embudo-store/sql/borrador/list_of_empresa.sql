-- Drafts of a company, with the client's name. The query adds its conditions, order and limit.
SELECT b.id, b.lead_id, l.nombre, b.motivo, b.guardado_por, b.guardado_en
FROM borrador b
JOIN lead l ON l.id = b.lead_id
