-- When the first job of kind ?1 whose lease ran out is due.
SELECT min(proximo_en) AS moment FROM trabajo
WHERE estado = 'pendiente' AND arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
    AND +tipo = ?1
