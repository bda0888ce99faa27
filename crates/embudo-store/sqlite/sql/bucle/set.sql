-- ?1 lead_id, ?2 paso (NULL: outside the loop), ?3 desde, ?4 limite, ?5 vencido, ?6 resenales.
UPDATE lead SET
    bucle_paso = ?2, bucle_desde = ?3, bucle_limite = ?4, bucle_vencido = ?5, bucle_resenales = ?6
WHERE id = ?1
