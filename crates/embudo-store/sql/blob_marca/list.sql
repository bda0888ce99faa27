SELECT huella, vez, barrido FROM blob_marca WHERE lead_id = :lead ORDER BY huella
