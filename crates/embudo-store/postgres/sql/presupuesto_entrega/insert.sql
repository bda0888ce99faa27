INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT p.empresa_id, p.lead_id, p.id, e.canal, e.trabajo_id, e.simulada, $5::timestamptz
FROM presupuesto p, unnest($2::text[], $3::uuid[], $4::boolean[]) WITH ORDINALITY AS e (canal, trabajo_id, simulada, ord)
WHERE p.id = $1::uuid
ORDER BY e.ord
