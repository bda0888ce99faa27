-- `:expira_en` NULL keeps. An outcome that is final already stays.
UPDATE idempotencia SET status = 0, location = NULL, cuerpo = :cuerpo, trabajos = '', expira_en = coalesce(:expira_en, expira_en)
WHERE ambito = :ambito AND clave = :clave AND trabajos <> ''
