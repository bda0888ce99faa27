-- ?1 ambito, ?2 clave, ?3 status, ?4 location, ?5 cuerpo, ?6 expira_en (NULL keeps). An answer that is final already stays.
UPDATE idempotencia SET status = ?3, location = ?4, cuerpo = ?5, trabajos = '', expira_en = coalesce(?6, expira_en)
WHERE ambito = ?1 AND clave = ?2 AND trabajos <> ''
