-- Confirms a reply that the workflow recorded, and ends its job. A job under a lease stays pending: the attempt after
-- the running one finds the confirmation.
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
