INSERT INTO blob_marca (lead_id, huella, creado_en) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
