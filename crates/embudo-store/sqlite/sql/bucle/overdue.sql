-- ?1 now, ?2 how many at most.
SELECT id, bucle_paso, bucle_resenales FROM lead
WHERE bucle_vencido = 0 AND bucle_limite <= ?1
ORDER BY bucle_limite LIMIT ?2
