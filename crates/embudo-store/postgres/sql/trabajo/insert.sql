-- Makes jobs, each leased for `:dura` microseconds by the database's clock or to nobody, and ends the pending jobs that
-- they supersede (`s_`: id, lead and kind of the new job, and now); the caller has locked these leads. A job that
-- exists already was made by an earlier try whose commit was in doubt: that try did everything, so nothing is done
-- again. Returns the jobs made. `estado || ''` fits no partial index, so that the few jobs of a lead are read, not all
-- pending jobs.
WITH sustituido AS (
    UPDATE trabajo t
    SET estado = 'sustituido', terminado_en = p.en, arrendado_por = NULL, arrendado_hasta = NULL
    FROM unnest(:s_id::uuid[], :s_lead::uuid[], :s_tipo::text[], :s_now::timestamptz[]) AS p (id, lead_id, tipo, en)
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
    :id::uuid[], :lead::uuid[], :empresa::uuid[], :tipo::text[], :carga::text[], :now::timestamptz[],
    :proximo_en::timestamptz[], :quien::uuid[], :dura::bigint[]
) WITH ORDINALITY AS p (id, lead_id, empresa_id, tipo, carga, en, proximo_en, quien, dura, ord)
ORDER BY p.ord
ON CONFLICT (id) DO NOTHING
RETURNING id
