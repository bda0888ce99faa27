-- Jobs that are due, leased by no process and not paused.
SELECT t.tipo, count(*) AS how_many, min(t.proximo_en) AS oldest
FROM trabajo t
LEFT JOIN pausa p ON p.empresa_id = t.empresa_id AND p.tipo = t.tipo
WHERE t.estado = 'pendiente' AND t.proximo_en <= :now AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= :now)
    AND p.tipo IS NULL
GROUP BY t.tipo
