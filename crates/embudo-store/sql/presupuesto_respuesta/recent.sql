-- The query adds its conditions, order and limit.
SELECT p.anio, p.orden, r.aceptado, substr(r.motivo, 1, 16001) AS motivo, r.creado_en
FROM presupuesto p
JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id
