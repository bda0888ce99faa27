DELETE FROM nota WHERE lead_id = :lead AND id = :id
