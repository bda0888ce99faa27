SELECT huella, vez, barrido FROM blob_marca WHERE lead_id = ?1 AND huella = ?2
