-- The amounts of leads' quotes, each with the agreed total, if any. The query adds its conditions.
SELECT p.lead_id, p.version, p.estado, p.total_cents, p.orientativo, p.rango_min_cents, p.rango_max_cents, r.total_cents AS pactado_cents
FROM presupuesto p
LEFT JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id AND r.aceptado = true
