-- When the first living lease runs out.
SELECT min(arrendado_hasta) AS moment FROM trabajo
WHERE estado = 'pendiente' AND arrendado_hasta > CAST(unixepoch('subsec') * 1000000 AS INTEGER)
