UPDATE nota SET texto = :texto WHERE lead_id = :lead AND id = :id
