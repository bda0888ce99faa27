SELECT campo, valor, creado_en FROM estado_historia WHERE lead_id = :lead ORDER BY n
