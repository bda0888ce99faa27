-- Counts the leads of one etapa up to a limit. The query adds its conditions, the limit and the closing parenthesis.
-- PostgreSQL may begin with any of the first four tables, and joins the others in this order.
SELECT count(*) AS leads
FROM (
    SELECT 1 AS one
    FROM lead_etapa e
    LEFT JOIN lead_gestion g ON g.lead_id = e.lead_id
    LEFT JOIN lead ON lead.id = e.lead_id
    LEFT JOIN lead_union u ON u.lead_id = e.lead_id
    LEFT JOIN lead_actividad a ON a.lead_id = e.lead_id
    LEFT JOIN lead_leido v ON v.lead_id = e.lead_id AND v.usuario_id = :who
    LEFT JOIN calificacion ON calificacion.lead_id = e.lead_id
