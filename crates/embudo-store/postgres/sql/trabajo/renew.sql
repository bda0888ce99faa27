-- Prolongs leases. Skips a job that is locked: another transaction ends or takes it, and the other jobs must not wait
-- for it.
WITH suyo AS MATERIALIZED (
    SELECT id
    FROM trabajo
    WHERE id = ANY (:id::uuid[]) AND arrendado_por = :quien::uuid AND estado = 'pendiente'
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE trabajo
SET arrendado_hasta = clock_timestamp() + :dura::bigint * interval '1 microsecond'
WHERE id IN (SELECT id FROM suyo)
RETURNING id
