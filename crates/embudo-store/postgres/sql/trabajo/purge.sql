-- Deletes some jobs that ended long ago, with their logs; says how many.
WITH viejo AS MATERIALIZED (
    SELECT id
    FROM trabajo
    WHERE terminado_en < $1::timestamptz
    ORDER BY terminado_en
    LIMIT $2::bigint
    FOR UPDATE SKIP LOCKED
), lineas AS (
    DELETE FROM entrega WHERE trabajo_id IN (SELECT id FROM viejo)
)
DELETE FROM trabajo WHERE id IN (SELECT id FROM viejo)
