SELECT lead_id, id, texto, zona, creado_en FROM nota WHERE lead_id = ANY (:lead::uuid[]) ORDER BY lead_id, n
