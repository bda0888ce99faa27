SELECT lead_id, huella FROM blob_marca ORDER BY lead_id, huella
