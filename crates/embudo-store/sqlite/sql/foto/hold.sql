SELECT EXISTS (SELECT 1 FROM foto WHERE lead_id = ?1 AND id = ?2) AS found
