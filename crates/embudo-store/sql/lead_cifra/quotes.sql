-- Quotes that were issued, with what was accepted of them; sheets and documents of those alone, since margins are made of them. The
-- query adds which leads.
SELECT
    p.lead_id, p.version, p.emitido_en, p.total_cents, r.creado_en AS aceptado_en, r.total_cents AS pactado_cents,
    CASE WHEN r.aceptado = true THEN p.hoja END AS hoja,
    CASE WHEN r.aceptado = true AND p.hoja IS NOT NULL THEN p.documento END AS documento
FROM presupuesto p
LEFT JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id AND r.aceptado = true AND p.estado = :aceptado
