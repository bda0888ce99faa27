SELECT lead_id, nombre, valor FROM utm WHERE lead_id = ANY ($1::uuid[]) ORDER BY nombre COLLATE "C", n
