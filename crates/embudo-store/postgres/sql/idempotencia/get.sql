SELECT cuerpo_sha256, status, cuerpo, trabajos, expira_en
FROM idempotencia
WHERE ambito = :ambito AND clave = :clave
FOR UPDATE
