-- The query adds its conditions, order and limit.
SELECT tipo, simulado, ok, substr(detalle, 1, 2001) AS detalle, creado_en FROM evento
