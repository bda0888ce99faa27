SELECT lead_id FROM lead_cifra WHERE lead_id = ANY (:lead::uuid[]) ORDER BY lead_id FOR UPDATE
