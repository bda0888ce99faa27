-- Leads that were spoken with and stand as if they were not.
UPDATE lead_etapa e
SET etapa = $3::text
WHERE e.lead_id = ANY ($1::uuid[]) AND e.etapa = $2::text AND EXISTS (SELECT FROM turno t WHERE t.lead_id = e.lead_id)
