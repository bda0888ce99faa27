SELECT huella, vez, barrido FROM blob_marca WHERE lead_id = :lead AND huella = :huella
