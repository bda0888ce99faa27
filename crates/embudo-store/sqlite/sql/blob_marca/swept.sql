UPDATE blob_marca SET barrido = 1 WHERE lead_id = ?1 AND huella = ?2 AND vez = ?3
