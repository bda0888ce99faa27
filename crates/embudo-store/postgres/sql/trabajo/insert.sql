-- Makes jobs ($1–$9), leased for so many microseconds by the database's clock or to nobody, and ends those that wait and that they
-- make pointless ($10–$13: the new job, its lead, its kind, now); their leads are locked. A job that is there already came with a
-- commit in doubt: it was made as a whole, so nothing of it is done again. Returns the jobs made.
-- The state is asked for in a way that no partial index answers: the few jobs of a lead are looked at, not all that wait.
WITH sustituido AS (
    UPDATE trabajo t
    SET estado = 'sustituido', terminado_en = p.en, arrendado_por = NULL, arrendado_hasta = NULL
    FROM unnest($10::uuid[], $11::uuid[], $12::text[], $13::timestamptz[]) AS p (id, lead_id, tipo, en)
    WHERE t.lead_id = p.lead_id
        AND t.tipo = p.tipo
        AND t.estado || '' = 'pendiente'
        AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
        AND NOT EXISTS (SELECT FROM trabajo ya WHERE ya.id = p.id)
)
INSERT INTO trabajo
    (id, lead_id, empresa_id, tipo, carga, estado, proximo_en, arrendado_por, arrendado_hasta, creado_en)
SELECT
    p.id, p.lead_id, p.empresa_id, p.tipo, p.carga, 'pendiente', p.proximo_en, p.quien,
    clock_timestamp() + p.dura * interval '1 microsecond', p.en
FROM unnest(
    $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::uuid[], $9::bigint[]
) WITH ORDINALITY AS p (id, lead_id, empresa_id, tipo, carga, en, proximo_en, quien, dura, ord)
ORDER BY p.ord
ON CONFLICT (id) DO NOTHING
RETURNING id
