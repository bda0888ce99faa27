-- ?1 before when, ?2 how many at most.
DELETE FROM blob_marca WHERE vez IN (
    SELECT vez FROM blob_marca WHERE barrido = 1 AND creado_en < ?1 ORDER BY creado_en LIMIT ?2
)
