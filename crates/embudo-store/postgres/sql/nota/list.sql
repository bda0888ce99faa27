SELECT id, texto, zona, creado_en FROM nota WHERE lead_id = $1::uuid ORDER BY n
