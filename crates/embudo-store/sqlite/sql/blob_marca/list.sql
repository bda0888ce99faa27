SELECT lead_id, huella FROM blob_marca ORDER BY creado_en, lead_id, huella
