DELETE FROM nota WHERE lead_id = ?1 AND id = ?2
