-- The floor area that is only a guess: while the lead's own m2_suelo is the same, quotes are orientative. NULL: none is.
ALTER TABLE lead_obra ADD COLUMN m2_estimado REAL;

-- Whether the total is a promise, and between what it lies where it is not: what lists show. NULL: it is a promise.
ALTER TABLE presupuesto ADD COLUMN orientativo INTEGER;
ALTER TABLE presupuesto ADD COLUMN rango_min_cents INTEGER;
ALTER TABLE presupuesto ADD COLUMN rango_max_cents INTEGER;
UPDATE presupuesto SET
    orientativo = 1,
    rango_min_cents = json_extract(documento, '$.impuesto.rango.minimo'),
    rango_max_cents = json_extract(documento, '$.impuesto.rango.maximo')
WHERE json_extract(documento, '$.caracter') = 'orientativo'
    OR (json_extract(documento, '$.caracter') IS NULL AND json_extract(documento, '$.impuesto.rango.minimo') IS NOT NULL);

-- The PDF of what the client accepted; filled together, once it is drawn.
ALTER TABLE presupuesto ADD COLUMN aceptado_huella BLOB;
ALTER TABLE presupuesto ADD COLUMN aceptado_sha256 BLOB;
ALTER TABLE presupuesto ADD COLUMN aceptado_bytes INTEGER;
ALTER TABLE presupuesto_bloqueado ADD COLUMN aceptado_huella BLOB;
ALTER TABLE presupuesto_bloqueado ADD COLUMN aceptado_sha256 BLOB;
ALTER TABLE presupuesto_bloqueado ADD COLUMN aceptado_bytes INTEGER;
