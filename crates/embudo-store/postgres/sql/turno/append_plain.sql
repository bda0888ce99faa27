-- Appends many turns that bring no states: most of them. A turn that exists already was written by an earlier try whose
-- commit was in doubt.
-- Whether a lead exists is read from `lead_etapa`, whose rows are short. A lead in the etapa `:nuevo` gets `:begun`,
-- because its conversation begins; no other lead is locked.
-- Returns the leads that do not exist.
WITH t AS MATERIALIZED (
    SELECT u.id, u.lead_id, l.empresa_id, l.etapa, u.rol, u.mensaje, u.media_type, u.media_url, u.transcripcion_audio, u.creado_en, u.ord
    FROM unnest(
        :id::uuid[], :lead::uuid[], :rol::text[], :mensaje::text[], :media_type::text[], :media_url::text[],
        :transcripcion_audio::text[], :now::timestamptz[]
    ) WITH ORDINALITY AS u (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en, ord)
    LEFT JOIN lead_etapa l ON l.lead_id = u.lead_id
), nuevo AS (
    INSERT INTO turno (id, lead_id, empresa_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en)
    SELECT id, lead_id, empresa_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en
    FROM t
    WHERE empresa_id IS NOT NULL
    ORDER BY ord
    ON CONFLICT (lead_id, id) DO NOTHING
), primero AS (
    UPDATE lead_etapa e
    SET etapa = :begun::text, desde = p.en
    FROM (SELECT lead_id, min(creado_en) AS en FROM t WHERE etapa = :nuevo::text GROUP BY lead_id ORDER BY lead_id) AS p
    WHERE e.lead_id = p.lead_id AND e.etapa = :nuevo::text
)
SELECT lead_id FROM t WHERE empresa_id IS NULL
