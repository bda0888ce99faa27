INSERT INTO nota_interna (lead_id, id, empresa_id, autor_id, texto, creado_en) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (lead_id, id) DO NOTHING
