DELETE FROM lead_cifra WHERE lead_id = ANY (:lead::uuid[])
