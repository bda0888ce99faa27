DELETE FROM foto WHERE lead_id = $1::uuid AND id = $2::uuid
