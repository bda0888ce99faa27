SELECT campo, valor, creado_en FROM estado_historia WHERE lead_id = ?1 ORDER BY n
