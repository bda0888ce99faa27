-- ?1 now, ?2 how many at most.
DELETE FROM idempotencia WHERE (ambito, clave) IN (
    SELECT ambito, clave FROM idempotencia WHERE expira_en < ?1 ORDER BY expira_en LIMIT ?2
)
