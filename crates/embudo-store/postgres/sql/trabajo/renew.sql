-- Sorted, as the ends of many attempts are (finish_many.sql).
WITH suyo AS MATERIALIZED (
    SELECT id
    FROM trabajo
    WHERE id = ANY ($1::uuid[]) AND arrendado_por = $2::uuid AND estado = 'pendiente'
    ORDER BY id
    FOR NO KEY UPDATE
)
UPDATE trabajo
SET arrendado_hasta = clock_timestamp() + $3::bigint * interval '1 microsecond'
WHERE id IN (SELECT id FROM suyo)
RETURNING id
