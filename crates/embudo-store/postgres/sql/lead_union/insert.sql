INSERT INTO lead_union (lead_id, empresa_id, principal_id, unido_por, creado_en) VALUES ($1, $2, $3, $4, $5)
