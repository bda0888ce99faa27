-- Takes over a key that has expired and is locked.
UPDATE idempotencia
SET cuerpo_sha256 = $3, status = 0, location = NULL, cuerpo = $4, trabajos = $5, creado_en = $6, expira_en = $7
WHERE ambito = $1 AND clave = $2
