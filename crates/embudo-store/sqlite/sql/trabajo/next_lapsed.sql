-- When the first job whose lease ran out is due.
SELECT min(proximo_en) FROM trabajo
WHERE estado = 'pendiente' AND arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
