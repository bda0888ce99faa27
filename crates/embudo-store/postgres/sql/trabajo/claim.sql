-- Leases to $4, for $5 microseconds by the database's clock, what is due at $6: of each kind ($1) at most so many ($2), where $3
-- says so only those never tried. A job that another process is taking at this moment is passed over. One whose destination is
-- paused is due at $7 instead; its pause stays until the commit, so that whoever resumes it finds what was held. Chosen once: joined
-- straight to the update, the choice might be made again for every row.
WITH cupo AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS k (tipo, cuantos, solo_primeros)
), pausada AS MATERIALIZED (
    SELECT empresa_id, tipo FROM pausa WHERE tipo = ANY ($1::text[]) FOR KEY SHARE
), elegido AS MATERIALIZED (
    SELECT c.id, (c.empresa_id, k.tipo) IN (SELECT empresa_id, tipo FROM pausada) AS parado
    FROM cupo k
    CROSS JOIN LATERAL (
        SELECT t.id, t.empresa_id
        FROM trabajo t
        WHERE t.estado = 'pendiente'
            AND t.tipo = k.tipo
            AND t.proximo_en <= $6::timestamptz
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
            AND t.proximo_en <= $6::timestamptz
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
    SET proximo_en = $7::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
    WHERE t.id = ANY (ARRAY(SELECT id FROM todo WHERE parado))
    RETURNING t.*
), tomado AS (
    UPDATE trabajo t
    SET arrendado_por = $4::uuid, arrendado_hasta = clock_timestamp() + $5::bigint * interval '1 microsecond'
    WHERE t.id = ANY (ARRAY(SELECT id FROM todo WHERE NOT parado))
    RETURNING t.*
)
SELECT * FROM tomado UNION ALL SELECT * FROM retenido ORDER BY proximo_en, n
