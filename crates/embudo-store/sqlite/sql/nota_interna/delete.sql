DELETE FROM nota_interna WHERE lead_id = ?1 AND id = ?2
