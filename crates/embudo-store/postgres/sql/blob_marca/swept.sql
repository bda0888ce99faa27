UPDATE blob_marca SET barrido = true WHERE lead_id = :lead::uuid AND huella = :huella::bytea AND vez = :vez::bigint
