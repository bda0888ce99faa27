-- ?1 ambito, ?2 clave, ?3 cuerpo, ?4 expira_en (NULL keeps). An outcome that is final already stays.
UPDATE idempotencia SET status = 0, location = NULL, cuerpo = ?3, trabajos = '', expira_en = coalesce(?4, expira_en)
WHERE ambito = ?1 AND clave = ?2 AND trabajos <> ''
