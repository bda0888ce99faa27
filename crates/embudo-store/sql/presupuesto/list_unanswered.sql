-- Quotes, joined to their lead's etapa. The query adds its conditions, order and limit.
SELECT p.id, p.lead_id, p.emitido_en
FROM presupuesto p
JOIN lead_etapa e ON e.lead_id = p.lead_id
