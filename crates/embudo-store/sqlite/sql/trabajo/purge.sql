-- ?1 before when, ?2 how many at most. A job that ended before ?1 was also made before it, and few jobs that old have
-- not ended, so the order of making finds them.
DELETE FROM trabajo WHERE rowid IN (
    SELECT rowid FROM trabajo WHERE creado_en < ?1 AND terminado_en < ?1 ORDER BY creado_en LIMIT ?2
)
RETURNING id, estado, terminado_en
