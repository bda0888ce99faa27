-- Takes over a key that has expired and is locked.
UPDATE idempotencia
SET cuerpo_sha256 = $3, status = $4, location = $5, cuerpo = $6, creado_en = $7, expira_en = $8
WHERE ambito = $1 AND clave = $2
