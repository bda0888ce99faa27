DELETE FROM lead_cifra WHERE lead_id = :lead
