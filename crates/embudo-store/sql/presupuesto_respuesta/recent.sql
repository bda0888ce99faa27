-- The query adds its conditions, order and limit.
SELECT
    p.anio, p.orden, p.total_cents, r.aceptado, substr(r.motivo, 1, 16001) AS motivo, r.opciones, r.total_cents AS pactado_cents, r.declaracion,
    r.inicio_anticipado, r.apuntado_por, r.apuntado_nota, r.creado_en AS respondido_en
FROM presupuesto p
JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id
