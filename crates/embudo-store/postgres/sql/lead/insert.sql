-- A lead with its campaign ids (`u_`), consents (`c_`), first states (`h_`), etapa and profile, in the company named or the default
-- one. No row comes back if there is no such company.
WITH casa AS (
    SELECT e.id FROM empresa e WHERE CASE WHEN :empresa::uuid IS NULL THEN e.por_defecto ELSE e.id = :empresa::uuid END
), nuevo AS (
    INSERT INTO lead (
        id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, provincia, busqueda, importado, creado_en, actualizado_en,
        {{@name}}
    )
    SELECT
        :id::uuid, casa.id, :nombre::text, :telefono::text, :telefono_e164::text, :email::text, :email_normal::text,
        :provincia::text, :busqueda::text, :importado::boolean, :now::timestamptz, :now::timestamptz, {{:@name::@type}}
    FROM casa
    RETURNING id, empresa_id
), campanas AS (
    INSERT INTO utm (lead_id, empresa_id, nombre, valor)
    SELECT nuevo.id, nuevo.empresa_id, u.nombre, u.valor
    FROM nuevo, unnest(:u_nombre::text[], :u_valor::text[]) AS u (nombre, valor)
), consentimientos AS (
    INSERT INTO consentimiento (lead_id, empresa_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en)
    SELECT
        nuevo.id, nuevo.empresa_id, c.finalidad, c.canal, c.texto_version, c.fuente, c.otorgado, c.otorgado_en, :now::timestamptz
    FROM nuevo, unnest(
        :c_finalidad::text[], :c_canal::text[], :c_texto_version::text[], :c_fuente::text[], :c_otorgado::boolean[],
        :c_otorgado_en::timestamptz[]
    ) WITH ORDINALITY AS c (finalidad, canal, texto_version, fuente, otorgado, otorgado_en, ord)
    ORDER BY c.ord
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
    SELECT nuevo.empresa_id, nuevo.id, h.campo, h.valor, :now::timestamptz
    FROM nuevo, unnest(:h_campo::text[], :h_valor::text[]) WITH ORDINALITY AS h (campo, valor, ord)
    ORDER BY h.ord
), etapas AS (
    INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde)
    SELECT nuevo.id, nuevo.empresa_id, :etapa::text, :now::timestamptz FROM nuevo
)
SELECT empresa_id FROM nuevo
