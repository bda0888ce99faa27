-- Takes the key. If a running transaction has taken the same key, waits until it ends.
-- Status 0: `cuerpo` is an outcome, not an HTTP answer.
INSERT INTO idempotencia (ambito, clave, cuerpo_sha256, status, location, cuerpo, trabajos, creado_en, expira_en)
VALUES (:ambito, :clave, :cuerpo_sha256, 0, NULL, :cuerpo, :trabajos, :now, :expira_en)
ON CONFLICT (ambito, clave) DO NOTHING
