-- Takes the key. A twin that holds it in a running transaction is waited for.
INSERT INTO idempotencia (ambito, clave, cuerpo_sha256, status, location, cuerpo, trabajos, creado_en, expira_en)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (ambito, clave) DO NOTHING
