DELETE FROM blob_marca WHERE lead_id = $1::uuid AND huella = $2::bytea
