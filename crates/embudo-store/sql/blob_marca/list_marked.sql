SELECT lead_id, huella FROM blob_marca WHERE barrido = false
