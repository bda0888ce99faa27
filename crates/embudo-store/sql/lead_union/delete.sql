DELETE FROM lead_union WHERE lead_id = :lead
