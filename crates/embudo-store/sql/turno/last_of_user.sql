SELECT creado_en FROM turno WHERE lead_id = :lead AND rol = 'user' ORDER BY n DESC LIMIT 1
