DELETE FROM atencion WHERE lead_id = :lead
