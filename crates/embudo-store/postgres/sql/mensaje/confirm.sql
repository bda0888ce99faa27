-- The workflow recorded a reply: that, and the end of its job. A job that is being tried finds out when it would be tried again.
WITH grabado AS (
    UPDATE mensaje SET confirmado_en = :now::timestamptz, turno_id = :turno::uuid
    WHERE id = :id::uuid AND lead_id = :lead::uuid AND canal = :canal::text AND confirmado_en IS NULL
    RETURNING id
)
UPDATE trabajo t
SET estado = 'hecho', terminado_en = :now::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
FROM grabado g
WHERE t.id = g.id AND t.tipo = :tipo::text AND t.estado || '' = 'pendiente'
    AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
