-- ?1 before when, ?2 how many at most. Their logs go with them.
DELETE FROM trabajo WHERE rowid IN (
    SELECT rowid FROM trabajo WHERE terminado_en < ?1 ORDER BY terminado_en LIMIT ?2
)
