-- Like claim.sql, but only jobs that were never tried.
SELECT id, proximo_en FROM (
    SELECT * FROM (
        SELECT id, proximo_en, rowid AS n FROM trabajo INDEXED BY trabajo_primero
        WHERE estado = 'pendiente' AND arrendado_hasta IS NULL AND intentos = 0 AND tipo = ?1 AND proximo_en <= ?2
        ORDER BY proximo_en, rowid LIMIT ?3
    )
    UNION ALL
    SELECT id, proximo_en, rowid AS n FROM trabajo
    WHERE estado = 'pendiente' AND arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
        AND intentos = 0 AND +tipo = ?1 AND +proximo_en <= ?2
)
ORDER BY proximo_en, n LIMIT ?3
