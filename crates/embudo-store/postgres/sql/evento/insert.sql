-- Inserts events in the given order.
INSERT INTO evento (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en)
SELECT e.id, e.lead_id, e.empresa_id, e.tipo, e.simulado, e.ok, e.detalle, e.creado_en
FROM unnest(
    :id::uuid[], :lead::uuid[], :empresa::uuid[], :tipo::text[], :simulado::boolean[], :ok::boolean[], :detalle::text[],
    :creado_en::timestamptz[]
) WITH ORDINALITY AS e (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en, ord)
ORDER BY e.ord
