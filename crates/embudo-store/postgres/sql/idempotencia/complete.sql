-- The final outcome over the provisional one, with a new end where one is given; a final one stays as it is.
UPDATE idempotencia
SET status = 0, location = NULL, cuerpo = $3, trabajos = '', expira_en = coalesce($4::timestamptz, expira_en)
WHERE ambito = $1 AND clave = $2 AND trabajos <> ''
