-- Gives leads ($1, their companies $2) to $3.
INSERT INTO lead_gestion (lead_id, empresa_id, asignado_id)
SELECT l.lead_id, l.empresa_id, $3::uuid FROM unnest($1::uuid[], $2::uuid[]) AS l (lead_id, empresa_id)
ON CONFLICT (lead_id) DO UPDATE SET asignado_id = excluded.asignado_id
