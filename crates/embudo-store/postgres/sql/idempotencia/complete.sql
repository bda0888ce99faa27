-- The final outcome over the provisional one, with a new end where one is given; a final one stays as it is.
UPDATE idempotencia
SET status = 0, location = NULL, cuerpo = :cuerpo, trabajos = '', expira_en = coalesce(:expira_en::timestamptz, expira_en)
WHERE ambito = :ambito AND clave = :clave AND trabajos <> ''
