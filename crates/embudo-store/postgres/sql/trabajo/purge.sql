-- Deletes some jobs that ended long ago, with their logs; says how many. What became of a quote
-- or a reply is known for as long as that is. A job that ended before was also made before, and few that
-- were made so long ago have not ended, so the order of making finds them.
WITH viejo AS MATERIALIZED (
    SELECT id
    FROM trabajo
    WHERE creado_en < :before::timestamptz AND terminado_en < :before::timestamptz
    ORDER BY creado_en
    LIMIT :limit::bigint
    FOR UPDATE SKIP LOCKED
), entregas AS (
    UPDATE presupuesto_entrega e SET trabajo_estado = t.estado, en = t.terminado_en
    FROM trabajo t
    WHERE t.id = e.trabajo_id AND e.trabajo_id = ANY (ARRAY(SELECT id FROM viejo))
), mensajes AS (
    UPDATE mensaje m SET trabajo_estado = t.estado
    FROM trabajo t
    WHERE t.id = m.id AND m.id = ANY (ARRAY(SELECT id FROM viejo))
), lineas AS (
    DELETE FROM entrega WHERE trabajo_id = ANY (ARRAY(SELECT id FROM viejo))
)
DELETE FROM trabajo WHERE id = ANY (ARRAY(SELECT id FROM viejo))
