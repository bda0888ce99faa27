SELECT lead_id, huella FROM blob_marca WHERE NOT barrido ORDER BY lead_id, huella
