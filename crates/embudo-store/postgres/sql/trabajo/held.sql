-- What the ends of attempts are decided by: the jobs that these processes hold, locked in the order of their ids, so that two that
-- end or prolong many never wait in a circle. Three truths say whether to look for a newer job of the same kind and lead, for what
-- came in since the first attempt of this run (the one that ends now began at `:inicio`), and for what came in since the job was
-- made. The call that made a signal is not the answer to it. Leads that matter were locked by the statement before.
-- Holder and state are asked for in a way that no other index answers: jobs are reached by their ids.
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
