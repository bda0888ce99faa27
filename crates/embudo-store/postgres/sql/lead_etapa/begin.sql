-- Sets the etapa of leads that have turns but are still in `:nuevo`.
UPDATE lead_etapa e
SET etapa = :begun::text
WHERE e.lead_id = ANY (:lead::uuid[]) AND e.etapa = :nuevo::text AND EXISTS (SELECT FROM turno t WHERE t.lead_id = e.lead_id)
