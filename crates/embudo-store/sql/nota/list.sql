SELECT id, texto, zona, creado_en FROM nota WHERE lead_id = :lead ORDER BY n
