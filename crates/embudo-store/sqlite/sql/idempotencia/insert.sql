-- Status 0: `cuerpo` is an outcome, not an HTTP answer. A row that exists already has expired, so it is overwritten.
INSERT INTO idempotencia (ambito, clave, cuerpo_sha256, status, location, cuerpo, trabajos, creado_en, expira_en)
VALUES (:ambito, :clave, :cuerpo_sha256, 0, NULL, :cuerpo, :trabajos, :now, :expira_en)
ON CONFLICT (ambito, clave) DO UPDATE SET
    cuerpo_sha256 = excluded.cuerpo_sha256,
    status = excluded.status,
    location = excluded.location,
    cuerpo = excluded.cuerpo,
    trabajos = excluded.trabajos,
    creado_en = excluded.creado_en,
    expira_en = excluded.expira_en
