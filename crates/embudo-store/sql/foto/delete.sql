DELETE FROM foto WHERE lead_id = :lead AND id = :id
