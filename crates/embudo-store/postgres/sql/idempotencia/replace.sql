-- Takes over a key that has expired and is locked.
UPDATE idempotencia
SET cuerpo_sha256 = $3, status = $4, location = $5, cuerpo = $6, trabajos = $7, creado_en = $8, expira_en = $9
WHERE ambito = $1 AND clave = $2
