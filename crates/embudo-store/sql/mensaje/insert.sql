INSERT INTO mensaje (id, lead_id, empresa_id, canal, texto, autor_id, autor, creado_en, caduca)
VALUES (:id, :lead, :empresa, :canal, :texto, :autor_id, :autor, :now, :caduca)
ON CONFLICT (lead_id, id) DO NOTHING
