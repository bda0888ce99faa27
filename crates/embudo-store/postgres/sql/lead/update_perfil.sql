-- Writes the fields sent on many leads ($1–$18, one row per lead) and keeps the history of their states ($19–$23).
-- Leads come sorted and are reached one by one, as in turno/append.sql, and so is the history.
-- A history row whose command is there already came with a commit in doubt. Returns the leads that do not exist.
WITH cambio AS (
    UPDATE lead l
    SET bot_step = coalesce(c.bot_step, l.bot_step),
        estado_wa = coalesce(c.estado_wa, l.estado_wa),
        canal_origen = coalesce(c.canal_origen, l.canal_origen),
        viable = coalesce(c.viable, l.viable),
        espacio = coalesce(c.espacio, l.espacio),
        rango_m2 = coalesce(c.rango_m2, l.rango_m2),
        estilo = coalesce(c.estilo, l.estilo),
        presupuesto_declarado = coalesce(c.presupuesto_declarado, l.presupuesto_declarado),
        fotos_solicitadas_at = coalesce(c.fotos_solicitadas_at, l.fotos_solicitadas_at),
        tipo_reforma = coalesce(c.tipo_reforma, l.tipo_reforma),
        m2_suelo = coalesce(c.m2_suelo, l.m2_suelo),
        calidad_global = coalesce(c.calidad_global, l.calidad_global),
        urgencia = coalesce(c.urgencia, l.urgencia),
        presupuesto_target_cents = coalesce(c.presupuesto_target_cents, l.presupuesto_target_cents),
        taste_text = coalesce(c.taste_text, l.taste_text),
        estructural = coalesce(c.estructural, l.estructural),
        actualizado_en = c.en
    FROM unnest(
        $1::uuid[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::timestamptz[], $11::text[], $12::double precision[], $13::text[], $14::text[], $15::bigint[], $16::text[],
        $17::boolean[], $18::timestamptz[]
    ) AS c (
        lead_id, bot_step, estado_wa, canal_origen, viable, espacio, rango_m2, estilo, presupuesto_declarado,
        fotos_solicitadas_at, tipo_reforma, m2_suelo, calidad_global, urgencia, presupuesto_target_cents, taste_text,
        estructural, en
    )
    WHERE l.id = c.lead_id
    RETURNING l.id
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en, comando)
    SELECT l.empresa_id, l.id, h.campo, h.valor, h.en, h.comando
    FROM unnest($19::uuid[], $20::uuid[], $21::text[], $22::text[], $23::timestamptz[])
        WITH ORDINALITY AS h (comando, lead_id, campo, valor, en, ord)
    JOIN lead l ON l.id = h.lead_id
    WHERE (h.lead_id IN (SELECT id FROM cambio)) IS TRUE
    ORDER BY h.ord
    ON CONFLICT (comando, campo) WHERE comando IS NOT NULL DO NOTHING
)
SELECT p.lead_id
FROM unnest($1::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
