-- As long as the row of a delivery's job exists, its state and end count; then the copy in the delivery.
SELECT
    e.presupuesto_id, e.canal, e.simulada, coalesce(t.estado, e.trabajo_estado) AS trabajo_estado,
    coalesce(t.terminado_en, e.en) AS en
FROM presupuesto_entrega e
LEFT JOIN trabajo t ON t.id = e.trabajo_id
WHERE e.lead_id = :lead
ORDER BY e.n
