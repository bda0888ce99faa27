-- Locks the jobs that these processes hold, and reads the data that decides the ends of their attempts. Locks in the
-- order of their ids, so that commands that end many jobs do not deadlock. Three flags say what to look up:
-- `:has_newer`, a newer job of the same kind and lead; `:since_sent`, what came in after the first attempt of this run
-- began (the attempt that ends now began at `:inicio`); `:since_made`, what came in after the job was made. Only later
-- moments count, because the call that made a signal is not the answer to it. The statement before
-- (bucle/lock_of_jobs.sql) has locked the leads whose loop may change.
-- The conditions on holder and state fit no other index, so that PostgreSQL finds the jobs by their ids.
SELECT
    t.id, t.lead_id, t.empresa_id, t.tipo, t.en_duda, t.ultimo_error,
    EXISTS (
        SELECT FROM trabajo b WHERE f.has_newer AND b.lead_id = t.lead_id AND b.tipo = t.tipo AND b.n > t.n
    ) AS has_newer,
    EXISTS (
        SELECT FROM foto p
        WHERE f.since_sent AND p.lead_id = t.lead_id AND p.momento = 'despues' AND p.creado_en > s.en
    ) AS sent_renders,
    EXISTS (
        SELECT FROM evento e
        WHERE f.since_sent AND e.lead_id = t.lead_id AND e.tipo = 'finalizar' AND e.creado_en > s.en
    ) AS sent_finalizar,
    EXISTS (
        SELECT FROM foto p
        WHERE f.since_made AND p.lead_id = t.lead_id AND p.momento = 'despues' AND p.creado_en > t.creado_en
    ) AS made_renders,
    EXISTS (
        SELECT FROM evento e
        WHERE f.since_made AND e.lead_id = t.lead_id AND e.tipo = 'finalizar' AND e.creado_en > t.creado_en
    ) AS made_finalizar
FROM unnest(
    :id::uuid[], :quien::uuid[], :has_newer::boolean[], :since_sent::boolean[], :since_made::boolean[], :inicio::timestamptz[]
) AS f (id, quien, has_newer, since_sent, since_made, inicio)
JOIN trabajo t ON t.id = f.id
CROSS JOIN LATERAL (
    SELECT coalesce(
        (
            SELECT l.inicio FROM entrega l
            WHERE f.since_sent AND t.intentos > 0 AND l.trabajo_id = t.id
            ORDER BY l.n DESC
            LIMIT 1 OFFSET greatest(t.intentos - 1, 0)
        ),
        f.inicio
    ) AS en
) s
WHERE t.arrendado_por IS NOT DISTINCT FROM f.quien AND t.estado || '' = 'pendiente'
ORDER BY t.id
FOR NO KEY UPDATE OF t
