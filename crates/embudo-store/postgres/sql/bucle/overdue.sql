SELECT id, bucle_paso, bucle_resenales
FROM lead
WHERE bucle_paso IS NOT NULL AND NOT bucle_vencido AND bucle_limite <= :now::timestamptz
ORDER BY bucle_limite
LIMIT :limit::bigint
