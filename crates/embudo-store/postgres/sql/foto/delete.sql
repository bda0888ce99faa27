DELETE FROM foto WHERE lead_id = :lead::uuid AND id = :id::uuid
