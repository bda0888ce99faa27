-- Due jobs that nobody holds or whose lease ran out. `:now` is the caller's clock; leases run by the database's.
SELECT
    id,
    EXISTS (SELECT 1 FROM pausa p WHERE p.empresa_id = due.empresa_id AND p.tipo = :tipo) AS paused
FROM (
    SELECT * FROM (
        SELECT id, empresa_id, proximo_en, rowid AS n FROM trabajo
        WHERE estado = 'pendiente' AND arrendado_hasta IS NULL AND tipo = :tipo AND proximo_en <= :now
        ORDER BY proximo_en, rowid LIMIT :limit
    )
    UNION ALL
    SELECT id, empresa_id, proximo_en, rowid AS n FROM trabajo
    WHERE estado = 'pendiente' AND arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
        AND +tipo = :tipo AND +proximo_en <= :now
) AS due
ORDER BY proximo_en, n LIMIT :limit
