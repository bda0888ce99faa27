DELETE FROM foto WHERE id = $2::uuid AND lead_id = $1::uuid
