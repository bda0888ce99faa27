DELETE FROM nota_interna WHERE lead_id = :lead AND id = :id
