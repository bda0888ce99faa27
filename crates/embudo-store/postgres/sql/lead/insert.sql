-- A lead with its campaign ids ($28–$29), consents ($30–$34) and first states ($35–$36), in the company named or the default
-- one. No row comes back if there is no such company.
WITH casa AS (
    SELECT e.id FROM empresa e WHERE CASE WHEN $2::uuid IS NULL THEN e.por_defecto ELSE e.id = $2::uuid END
), nuevo AS (
    INSERT INTO lead (
        id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, provincia, busqueda, bot_step, estado_wa,
        canal_origen, viable, espacio, rango_m2, estilo, presupuesto_declarado, fotos_solicitadas_at, tipo_reforma, m2_suelo,
        calidad_global, urgencia, presupuesto_target_cents, taste_text, estructural, creado_en, actualizado_en
    )
    SELECT
        $1::uuid, casa.id, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text,
        $12::text, $13::boolean, $14::text, $15::text, $16::text, $17::text, $18::timestamptz, $19::text,
        $20::double precision, $21::text, $22::text, $23::bigint, $24::text, $25::boolean, $26::timestamptz,
        $27::timestamptz
    FROM casa
    RETURNING id, empresa_id
), campanas AS (
    INSERT INTO utm (lead_id, empresa_id, nombre, valor)
    SELECT nuevo.id, nuevo.empresa_id, u.nombre, u.valor
    FROM nuevo, unnest($28::text[], $29::text[]) AS u (nombre, valor)
), consentimientos AS (
    INSERT INTO consentimiento (lead_id, empresa_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en)
    SELECT nuevo.id, nuevo.empresa_id, c.finalidad, c.canal, c.texto_version, c.fuente, c.otorgado, c.otorgado_en, $26::timestamptz
    FROM nuevo, unnest($30::text[], $31::text[], $32::text[], $37::text[], $33::boolean[], $34::timestamptz[])
        WITH ORDINALITY AS c (finalidad, canal, texto_version, fuente, otorgado, otorgado_en, ord)
    ORDER BY c.ord
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
    SELECT nuevo.empresa_id, nuevo.id, h.campo, h.valor, $26::timestamptz
    FROM nuevo, unnest($35::text[], $36::text[]) WITH ORDINALITY AS h (campo, valor, ord)
    ORDER BY h.ord
)
SELECT empresa_id FROM nuevo
