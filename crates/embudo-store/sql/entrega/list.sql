-- The query adds its conditions and order.
SELECT trabajo_id, inicio, duracion_ms, ok, status, error, substr(respuesta, 1, 2001) AS respuesta FROM entrega
