SELECT nombre, valor FROM utm WHERE lead_id = ?1 ORDER BY nombre
