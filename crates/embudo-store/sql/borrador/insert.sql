INSERT INTO borrador (lead_id, id, empresa_id, motivo, revision, hoja, guardado_por, creado_en, guardado_en)
VALUES (:lead, :id, :empresa, :motivo, 1, :hoja, :por, :now, :now)
