DELETE FROM borrador WHERE lead_id = :lead
