-- ?1 lead_id. A job that is still kept knows best. The columns stand in the order of `rows::entrega_presupuesto`.
SELECT
    e.presupuesto_id, e.canal, e.simulada, coalesce(t.estado, e.trabajo_estado), coalesce(t.terminado_en, e.en)
FROM presupuesto_entrega e
LEFT JOIN trabajo t ON t.id = e.trabajo_id
WHERE e.lead_id = ?1
ORDER BY e.n
