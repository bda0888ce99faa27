-- Events in their order.
INSERT INTO evento (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en)
SELECT e.id, e.lead_id, e.empresa_id, e.tipo, e.simulado, e.ok, e.detalle, e.creado_en
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::boolean[], $6::boolean[], $7::text[], $8::timestamptz[])
    WITH ORDINALITY AS e (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en, ord)
ORDER BY e.ord
