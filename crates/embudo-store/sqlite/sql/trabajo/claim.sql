-- ?1 tipo, ?2 now as the caller sees it, ?3 how many at most. Jobs that nobody holds, and those whose lease ran out.
SELECT id, proximo_en FROM (
    SELECT * FROM (
        SELECT id, proximo_en, rowid AS n FROM trabajo
        WHERE estado = 'pendiente' AND arrendado_hasta IS NULL AND tipo = ?1 AND proximo_en <= ?2
        ORDER BY proximo_en, rowid LIMIT ?3
    )
    UNION ALL
    SELECT id, proximo_en, rowid AS n FROM trabajo
    WHERE estado = 'pendiente' AND arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
        AND +tipo = ?1 AND +proximo_en <= ?2
)
ORDER BY proximo_en, n LIMIT ?3
