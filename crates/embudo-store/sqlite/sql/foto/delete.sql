DELETE FROM foto WHERE lead_id = ?1 AND id = ?2
