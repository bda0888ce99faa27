SELECT lead_id, huella FROM blob_marca WHERE barrido = 0 ORDER BY creado_en
