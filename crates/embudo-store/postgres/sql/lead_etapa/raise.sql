-- Raises leads ($1, each once, sorted) to an etapa ($2) where they stand lower; $4 are all etapas, the lowest first.
UPDATE lead_etapa e
SET etapa = r.etapa, desde = r.en
FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS r (lead_id, etapa, en)
WHERE e.lead_id = r.lead_id AND array_position($4::text[], e.etapa) < array_position($4::text[], r.etapa)
