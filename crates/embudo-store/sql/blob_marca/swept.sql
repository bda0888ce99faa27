UPDATE blob_marca SET barrido = true WHERE lead_id = :lead AND huella = :huella AND vez = :vez
