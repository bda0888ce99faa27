-- Raises leads (each once, sorted) to an etapa if their own is lower; `:ascending` has all etapas, the lowest first.
UPDATE lead_etapa e
SET etapa = r.etapa, desde = r.en
FROM unnest(:lead::uuid[], :etapa::text[], :now::timestamptz[]) AS r (lead_id, etapa, en)
WHERE e.lead_id = r.lead_id AND array_position(:ascending::text[], e.etapa) < array_position(:ascending::text[], r.etapa)
