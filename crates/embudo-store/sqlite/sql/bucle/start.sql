-- ?1 lead_id, ?2 paso (NULL: outside the loop), ?3 desde, ?4 limite.
UPDATE lead SET
    bucle_paso = ?2, bucle_desde = ?3, bucle_limite = ?4, bucle_vencido = 0,
    bucle_resenales = CASE WHEN ?2 IS NULL THEN 0 ELSE bucle_resenales END
WHERE id = ?1
