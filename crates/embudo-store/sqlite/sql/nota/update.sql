UPDATE nota SET texto = ?3 WHERE lead_id = ?1 AND id = ?2
