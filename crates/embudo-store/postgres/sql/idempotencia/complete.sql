-- The final answer over the provisional one; a final one stays as it is.
UPDATE idempotencia
SET status = $3, location = $4, cuerpo = $5, trabajos = ''
WHERE ambito = $1 AND clave = $2 AND trabajos <> ''
