-- Leads, joined to their etapa. The query adds its conditions, order and limit.
SELECT l.id, l.creado_en
FROM lead l
JOIN lead_etapa e ON e.lead_id = l.id
