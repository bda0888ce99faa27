-- A lead with its campaign ids ($11–$12), consents ($13–$18), first states ($19–$20), etapa ($21) and profile, in the company named or the
-- default one. No row comes back if there is no such company.
WITH casa AS (
    SELECT e.id FROM empresa e WHERE CASE WHEN $2::uuid IS NULL THEN e.por_defecto ELSE e.id = $2::uuid END
), nuevo AS (
    INSERT INTO lead (
        id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, provincia, busqueda, creado_en, actualizado_en,
        {{@name}}
    )
    SELECT
        $1::uuid, casa.id, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::timestamptz,
        $10::timestamptz, {{$@n::@type}}
    FROM casa
    RETURNING id, empresa_id
), campanas AS (
    INSERT INTO utm (lead_id, empresa_id, nombre, valor)
    SELECT nuevo.id, nuevo.empresa_id, u.nombre, u.valor
    FROM nuevo, unnest($11::text[], $12::text[]) AS u (nombre, valor)
), consentimientos AS (
    INSERT INTO consentimiento (lead_id, empresa_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en)
    SELECT nuevo.id, nuevo.empresa_id, c.finalidad, c.canal, c.texto_version, c.fuente, c.otorgado, c.otorgado_en, $10::timestamptz
    FROM nuevo, unnest($13::text[], $14::text[], $15::text[], $16::text[], $17::boolean[], $18::timestamptz[])
        WITH ORDINALITY AS c (finalidad, canal, texto_version, fuente, otorgado, otorgado_en, ord)
    ORDER BY c.ord
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
    SELECT nuevo.empresa_id, nuevo.id, h.campo, h.valor, $10::timestamptz
    FROM nuevo, unnest($19::text[], $20::text[]) WITH ORDINALITY AS h (campo, valor, ord)
    ORDER BY h.ord
), etapas AS (
    INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde)
    SELECT nuevo.id, nuevo.empresa_id, $21::text, $10::timestamptz FROM nuevo
)
SELECT empresa_id FROM nuevo
