-- Deletes some jobs that ended long ago, with their logs. First it saves each job's state with the quote or reply that
-- the job delivered. A job that ended before `:before` was also made before it, and few jobs that old have not ended,
-- so the order of making finds them.
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
