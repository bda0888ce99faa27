-- Three parts, because each has its index. Pending jobs are found by their state, not by their company.
SELECT
    CASE
        WHEN t.arrendado_hasta > :now THEN 'enviando'
        WHEN p.tipo IS NOT NULL THEN 'en_pausa'
        WHEN t.intentos > 0 THEN 'reintentando'
        ELSE 'en_espera'
    END AS standing,
    count(*) AS how_many
FROM trabajo t
LEFT JOIN pausa p ON p.empresa_id = t.empresa_id AND p.tipo = t.tipo
WHERE t.estado = 'pendiente' AND coalesce(t.empresa_id, t.empresa_id) = :empresa
GROUP BY 1
UNION ALL
SELECT estado, count(*) FROM trabajo
WHERE (estado = 'muerto' OR estado = 'aparcado') AND empresa_id = :empresa
GROUP BY estado
UNION ALL
SELECT c.estado, count(*)
FROM (
    SELECT estado FROM trabajo
    WHERE empresa_id = :empresa AND estado <> 'pendiente' AND estado <> 'muerto' AND estado <> 'aparcado'
    ORDER BY creado_en DESC, id DESC
    LIMIT :most
) c
GROUP BY c.estado
