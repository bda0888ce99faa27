-- Takes over a key that has expired. idempotencia/get.sql has locked its row.
UPDATE idempotencia
SET cuerpo_sha256 = :cuerpo_sha256, status = 0, location = NULL, cuerpo = :cuerpo, trabajos = :trabajos,
    creado_en = :now, expira_en = :expira_en
WHERE ambito = :ambito AND clave = :clave
