-- The floor area that is only a guess: while the lead's own m2_suelo is the same, quotes are orientative. NULL: none is.
ALTER TABLE lead_obra ADD COLUMN m2_estimado double precision;

-- Whether the total is a promise, and between what it lies where it is not: what lists show. NULL: it is a promise.
ALTER TABLE presupuesto ADD COLUMN orientativo boolean;
ALTER TABLE presupuesto ADD COLUMN rango_min_cents bigint;
ALTER TABLE presupuesto ADD COLUMN rango_max_cents bigint;
UPDATE presupuesto SET
    orientativo = true,
    rango_min_cents = (documento::jsonb #>> '{impuesto,rango,minimo}')::bigint,
    rango_max_cents = (documento::jsonb #>> '{impuesto,rango,maximo}')::bigint
WHERE documento::jsonb #>> '{caracter}' = 'orientativo'
    OR (documento::jsonb #>> '{caracter}' IS NULL AND documento::jsonb #>> '{impuesto,rango,minimo}' IS NOT NULL);

-- The PDF of what the client accepted; filled together, once it is drawn.
ALTER TABLE presupuesto ADD COLUMN aceptado_huella bytea;
ALTER TABLE presupuesto ADD COLUMN aceptado_sha256 bytea;
ALTER TABLE presupuesto ADD COLUMN aceptado_bytes bigint;
ALTER TABLE presupuesto_bloqueado ADD COLUMN aceptado_huella bytea;
ALTER TABLE presupuesto_bloqueado ADD COLUMN aceptado_sha256 bytea;
ALTER TABLE presupuesto_bloqueado ADD COLUMN aceptado_bytes bigint;
