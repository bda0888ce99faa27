SELECT max(orden) FROM foto WHERE lead_id = ?1
