UPDATE blob_marca SET barrido = true WHERE lead_id = $1::uuid AND huella = $2::bytea AND vez = $3::bigint
