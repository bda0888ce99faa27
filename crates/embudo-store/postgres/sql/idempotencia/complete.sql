-- The final answer over the provisional one, with a new end where one is given; a final one stays as it is.
UPDATE idempotencia
SET status = $3, location = $4, cuerpo = $5, trabajos = '', expira_en = coalesce($6::timestamptz, expira_en)
WHERE ambito = $1 AND clave = $2 AND trabajos <> ''
