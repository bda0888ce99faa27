UPDATE blob_marca SET barrido = 1 WHERE lead_id = :lead AND huella = :huella AND vez = :vez
