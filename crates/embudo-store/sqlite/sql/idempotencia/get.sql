SELECT cuerpo_sha256, status, cuerpo, trabajos, expira_en
FROM idempotencia WHERE ambito = ?1 AND clave = ?2
