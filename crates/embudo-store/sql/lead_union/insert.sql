INSERT INTO lead_union (lead_id, empresa_id, principal_id, unido_por, creado_en) VALUES (:lead, :empresa, :principal, :por, :now)
