-- Ends many attempts, one row each: the job ($1–$5), its line in the delivery log ($6–$11), what the lead's history says
-- ($12–$17, nothing where $12 is null) and where the loop stands then ($18–$23: step and deadline where nothing came in since the job
-- was made, where renders did, and where `finalizar` did; nothing where $24 is false or the job is not done). $25 are the kinds that
-- take each other's place. $26: a failed signal is done all the same, and this is what the history says, if renders or `finalizar` came
-- since its first attempt of this run and no newer one took its place.
-- The leads that matter were locked by the statement before. A job that is not the process's any more is left out of the answer, and
-- so is one that was done already when a commit in doubt is repeated.
-- Jobs come sorted and are reached one by one, so that two that end or prolong many never wait in a circle; holder and state are
-- asked for in a way that no other index answers.
WITH fin AS (
    UPDATE trabajo t
    SET (estado, terminado_en) = (
            SELECT
                CASE
                    WHEN r.nuevo AND f.estado = 'pendiente' THEN 'sustituido'
                    WHEN r.vuelta AND NOT r.nuevo THEN 'hecho'
                    ELSE f.estado
                END,
                CASE WHEN r.nuevo OR r.vuelta OR f.estado <> 'pendiente' THEN f.en END
            FROM (
                SELECT
                    CASE
                        WHEN (f.estado = 'pendiente' OR f.respondida IS NOT NULL) AND t.tipo = ANY ($25::text[])
                        THEN EXISTS (SELECT FROM trabajo b WHERE b.lead_id = t.lead_id AND b.tipo = t.tipo AND b.n > t.n)
                        ELSE false
                    END AS nuevo,
                    CASE WHEN f.respondida IS NOT NULL THEN
                        EXISTS (
                            SELECT FROM foto p
                            WHERE p.lead_id = t.lead_id AND p.momento = 'despues' AND p.creado_en > e.enviada_en
                        )
                        OR EXISTS (
                            SELECT FROM evento s
                            WHERE s.lead_id = t.lead_id AND s.tipo = 'finalizar' AND s.creado_en > e.enviada_en
                        )
                    ELSE false END AS vuelta
                FROM (
                    SELECT coalesce(
                        CASE WHEN f.respondida IS NOT NULL AND t.intentos > 0 THEN (
                            SELECT l.inicio FROM entrega l
                            WHERE l.trabajo_id = t.id
                            ORDER BY l.n DESC
                            LIMIT 1 OFFSET t.intentos - 1
                        ) END,
                        f.inicio
                    ) AS enviada_en
                ) e
            ) r
        ),
        proximo_en = coalesce(f.proximo_en, t.proximo_en),
        intentos = t.intentos + 1,
        en_duda = t.en_duda AND f.estado = 'aparcado',
        ultimo_error = CASE WHEN f.ok THEN t.ultimo_error ELSE f.error END,
        arrendado_por = NULL,
        arrendado_hasta = NULL
    FROM unnest(
        $1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::bigint[],
        $8::boolean[], $9::integer[], $10::text[], $11::text[], $12::uuid[], $13::text[], $14::boolean[], $15::boolean[],
        $16::text[], $17::timestamptz[], $18::text[], $19::timestamptz[], $20::text[], $21::timestamptz[], $22::text[],
        $23::timestamptz[], $24::boolean[], $26::text[]
    ) WITH ORDINALITY AS f (
        id, quien, estado, proximo_en, en, inicio, duracion_ms, ok, status, error, respuesta, evento_id, evento_tipo,
        evento_simulado, evento_ok, evento_detalle, evento_en, paso_nada, limite_nada, paso_renders, limite_renders,
        paso_finalizar, limite_finalizar, bucle, respondida, ord
    )
    WHERE t.id = f.id AND t.arrendado_por IS NOT DISTINCT FROM f.quien AND t.estado || '' = 'pendiente'
    RETURNING t.id, t.lead_id, t.empresa_id, t.creado_en, f.en, f.inicio, f.duracion_ms, f.ok, f.status, f.error, f.respuesta,
        f.evento_id, f.evento_tipo, f.evento_simulado, f.evento_ok, f.evento_detalle, f.evento_en, f.paso_nada, f.limite_nada,
        f.paso_renders, f.limite_renders, f.paso_finalizar, f.limite_finalizar, f.bucle, f.ord, f.respondida,
        t.estado = 'hecho' AS hecho, t.estado = 'hecho' AND f.estado <> 'hecho' AS vuelta
), linea AS (
    INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta)
    SELECT fin.id, fin.inicio, fin.duracion_ms, fin.ok, fin.status, fin.error, fin.respuesta FROM fin ORDER BY fin.ord
), suceso AS (
    INSERT INTO evento (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en)
    SELECT
        fin.evento_id, fin.lead_id, fin.empresa_id, fin.evento_tipo, fin.evento_simulado, fin.evento_ok OR fin.vuelta,
        CASE WHEN fin.vuelta THEN fin.respondida ELSE fin.evento_detalle END, fin.evento_en
    FROM fin
    WHERE fin.evento_id IS NOT NULL
    ORDER BY fin.ord
), visto AS (
    -- Of two accepted signals of one lead the last one says where it stands.
    SELECT DISTINCT ON (fin.lead_id)
        fin.*,
        EXISTS (
            SELECT FROM foto f WHERE f.lead_id = fin.lead_id AND f.momento = 'despues' AND f.creado_en > fin.creado_en
        ) AS renders,
        EXISTS (
            SELECT FROM evento e WHERE e.lead_id = fin.lead_id AND e.tipo = 'finalizar' AND e.creado_en > fin.creado_en
        ) AS finalizar
    FROM fin
    WHERE fin.bucle AND fin.hecho
    ORDER BY fin.lead_id, fin.ord DESC
), decidido AS (
    SELECT
        lead_id, en,
        CASE WHEN finalizar THEN paso_finalizar WHEN renders THEN paso_renders ELSE paso_nada END AS paso,
        CASE WHEN finalizar THEN limite_finalizar WHEN renders THEN limite_renders ELSE limite_nada END AS limite
    FROM visto
), vuelta AS (
    UPDATE lead l
    SET bucle_paso = d.paso,
        bucle_desde = CASE WHEN d.paso IS NOT NULL THEN d.en END,
        bucle_limite = d.limite,
        bucle_vencido = false,
        bucle_resenales = CASE WHEN d.paso IS NOT NULL THEN l.bucle_resenales ELSE 0 END
    FROM decidido d
    WHERE l.id = d.lead_id
)
SELECT id FROM fin
