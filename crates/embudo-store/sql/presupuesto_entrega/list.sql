-- A job that is still kept knows best.
SELECT
    e.presupuesto_id, e.canal, e.simulada, coalesce(t.estado, e.trabajo_estado) AS trabajo_estado,
    coalesce(t.terminado_en, e.en) AS en
FROM presupuesto_entrega e
LEFT JOIN trabajo t ON t.id = e.trabajo_id
WHERE e.lead_id = :lead
ORDER BY e.n
