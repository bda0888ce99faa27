INSERT INTO lead_busqueda (lead_id, empresa_id, texto, creado_en) VALUES (:lead, :empresa, :texto, :creado_en)
ON CONFLICT (lead_id) DO UPDATE SET texto = excluded.texto
RETURNING n
