INSERT INTO atencion (lead_id, empresa_id, usuario_id, desde, ultimo_en) VALUES (:lead, :empresa, :usuario, :desde, :now)
ON CONFLICT (lead_id) DO UPDATE SET usuario_id = excluded.usuario_id, desde = excluded.desde, ultimo_en = excluded.ultimo_en
