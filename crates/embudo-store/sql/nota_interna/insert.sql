INSERT INTO nota_interna (lead_id, id, empresa_id, autor_id, texto, creado_en) VALUES (:lead, :id, :empresa, :autor, :texto, :now)
ON CONFLICT (lead_id, id) DO NOTHING
