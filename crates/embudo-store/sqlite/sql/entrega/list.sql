SELECT inicio, duracion_ms, ok, status, error, respuesta FROM entrega WHERE trabajo_id = ?1 ORDER BY n
