-- Leases due jobs to `:quien`, for `:dura` microseconds by the database's clock: at most `:cuantos` of each kind, and
-- only jobs that were never tried where `:solo_primeros` is true. Skips jobs that another transaction has locked. A job
-- whose destination is paused gets no lease and is due at `:held`; its pause is locked until the commit, so that a
-- resumption finds the job. Returns the leased and the held jobs.
-- MATERIALIZED: otherwise the jobs might be chosen again for every row of the update.
WITH cupo AS (
    SELECT * FROM unnest(:tipo::text[], :cuantos::bigint[], :solo_primeros::boolean[]) AS k (tipo, cuantos, solo_primeros)
), pausada AS MATERIALIZED (
    SELECT empresa_id, tipo FROM pausa WHERE tipo = ANY (:tipo::text[]) FOR KEY SHARE
), elegido AS MATERIALIZED (
    SELECT c.id, (c.empresa_id, k.tipo) IN (SELECT empresa_id, tipo FROM pausada) AS parado
    FROM cupo k
    CROSS JOIN LATERAL (
        SELECT t.id, t.empresa_id
        FROM trabajo t
        WHERE t.estado = 'pendiente'
            AND t.tipo = k.tipo
            AND t.proximo_en <= :now::timestamptz
            AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
        ORDER BY t.proximo_en, t.n
        LIMIT k.cuantos
        FOR UPDATE SKIP LOCKED
    ) c
    WHERE NOT k.solo_primeros
), primero AS MATERIALIZED (
    SELECT c.id, (c.empresa_id, k.tipo) IN (SELECT empresa_id, tipo FROM pausada) AS parado
    FROM cupo k
    CROSS JOIN LATERAL (
        SELECT t.id, t.empresa_id
        FROM trabajo t
        WHERE t.estado = 'pendiente'
            AND t.intentos = 0
            AND t.tipo = k.tipo
            AND t.proximo_en <= :now::timestamptz
            AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
        ORDER BY t.proximo_en, t.n
        LIMIT k.cuantos
        FOR UPDATE SKIP LOCKED
    ) c
    WHERE k.solo_primeros
), todo AS (
    SELECT id, parado FROM elegido UNION ALL SELECT id, parado FROM primero
), retenido AS (
    UPDATE trabajo t
    SET proximo_en = :held::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
    WHERE t.id = ANY (ARRAY(SELECT id FROM todo WHERE parado))
    RETURNING t.*
), tomado AS (
    UPDATE trabajo t
    SET arrendado_por = :quien::uuid, arrendado_hasta = clock_timestamp() + :dura::bigint * interval '1 microsecond'
    WHERE t.id = ANY (ARRAY(SELECT id FROM todo WHERE NOT parado))
    RETURNING t.*
)
SELECT * FROM tomado UNION ALL SELECT * FROM retenido ORDER BY proximo_en, n
