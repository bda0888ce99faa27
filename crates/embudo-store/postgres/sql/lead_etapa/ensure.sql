-- Inserts the etapa of leads that were created by a version without etapas.
INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde)
SELECT l.id, l.empresa_id, :etapa::text, l.creado_en FROM lead l
WHERE l.id = ANY (:lead::uuid[]) AND NOT EXISTS (SELECT FROM lead_etapa e WHERE e.lead_id = l.id)
ON CONFLICT (lead_id) DO NOTHING
