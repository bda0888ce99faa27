DELETE FROM blob_marca WHERE lead_id = :lead AND huella = :huella
