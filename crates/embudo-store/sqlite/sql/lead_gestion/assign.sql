INSERT INTO lead_gestion (lead_id, empresa_id, asignado_id) VALUES (:lead, :empresa, :asignado)
ON CONFLICT (lead_id) DO UPDATE SET asignado_id = excluded.asignado_id
