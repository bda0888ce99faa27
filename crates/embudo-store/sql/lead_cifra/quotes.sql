-- Quotes; for accepted ones also the agreed total, and the draft (`hoja`) and document for computing the margin.
-- A quote without a draft of its own was made from the newest one of an earlier version. The query adds its conditions.
SELECT
    p.lead_id, p.version, p.emitido_en, p.total_cents, p.orientativo, r.creado_en AS aceptado_en, r.total_cents AS pactado_cents,
    CASE WHEN r.aceptado = true THEN (
        SELECT h.hoja FROM presupuesto h
        WHERE h.lead_id = p.lead_id AND h.version <= p.version AND h.hoja IS NOT NULL ORDER BY h.version DESC LIMIT 1
    ) END AS hoja,
    CASE WHEN r.aceptado = true AND EXISTS (
        SELECT 1 FROM presupuesto h WHERE h.lead_id = p.lead_id AND h.version <= p.version AND h.hoja IS NOT NULL
    ) THEN p.documento END AS documento
FROM presupuesto p
LEFT JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id AND r.aceptado = true AND p.estado = :aceptado
