-- Quotes of a company with the client's name and the agreed total. The query adds its conditions, order and limit.
SELECT p.id, p.lead_id, l.nombre, p.anio, p.orden, p.version, p.estado, coalesce(r.total_cents, p.total_cents) AS total_cents,
    p.orientativo, p.rango_min_cents, p.rango_max_cents, p.emitido, p.hasta, p.creado_en, r.apuntado_por
FROM presupuesto p
JOIN lead l ON l.id = p.lead_id
LEFT JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id AND r.aceptado = true
