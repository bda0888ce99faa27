INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT p.empresa_id, p.lead_id, p.id, e.canal, e.trabajo_id, e.simulada, :now::timestamptz
FROM presupuesto p, unnest(:canal::text[], :trabajo::uuid[], :simulada::boolean[])
    WITH ORDINALITY AS e (canal, trabajo_id, simulada, ord)
WHERE p.id = :presupuesto::uuid
ORDER BY e.ord
