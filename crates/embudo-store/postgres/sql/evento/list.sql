SELECT tipo, simulado, ok, detalle, creado_en FROM evento WHERE lead_id = $1::uuid ORDER BY n
