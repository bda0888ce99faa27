DELETE FROM rendicion WHERE lead_id = $1::uuid AND foto_id = $2::uuid
