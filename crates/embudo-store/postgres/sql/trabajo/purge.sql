-- Deletes some jobs that ended long ago, with their logs; says how many. A job that ended before was also made before, and few that
-- were made so long ago have not ended, so the order of making finds them.
WITH viejo AS MATERIALIZED (
    SELECT id
    FROM trabajo
    WHERE creado_en < $1::timestamptz AND terminado_en < $1::timestamptz
    ORDER BY creado_en
    LIMIT $2::bigint
    FOR UPDATE SKIP LOCKED
), lineas AS (
    DELETE FROM entrega WHERE trabajo_id = ANY (ARRAY(SELECT id FROM viejo))
)
DELETE FROM trabajo WHERE id = ANY (ARRAY(SELECT id FROM viejo))
