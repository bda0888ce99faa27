SELECT id, autor_id, texto, creado_en FROM nota_interna WHERE lead_id = :lead ORDER BY creado_en, n
