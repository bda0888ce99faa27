-- Gives leads of companies to one person.
INSERT INTO lead_gestion (lead_id, empresa_id, asignado_id)
SELECT l.lead_id, l.empresa_id, :asignado::uuid FROM unnest(:lead::uuid[], :empresa::uuid[]) AS l (lead_id, empresa_id)
ON CONFLICT (lead_id) DO UPDATE SET asignado_id = excluded.asignado_id
