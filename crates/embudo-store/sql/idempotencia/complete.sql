-- If `:expira_en` is NULL, the stored time stays. An outcome that is final already is not changed.
UPDATE idempotencia SET status = 0, location = NULL, cuerpo = :cuerpo, trabajos = '', expira_en = coalesce(:expira_en, expira_en)
WHERE ambito = :ambito AND clave = :clave AND trabajos <> ''
