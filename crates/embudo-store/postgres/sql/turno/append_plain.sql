-- Appends many turns that bring no states: most of them. A turn that is there already came with a commit in doubt.
-- Returns the leads that do not exist.
WITH t AS MATERIALIZED (
    SELECT u.id, u.lead_id, l.empresa_id, u.rol, u.mensaje, u.media_type, u.media_url, u.transcripcion_audio, u.creado_en, u.ord
    FROM unnest(
        :id::uuid[], :lead::uuid[], :rol::text[], :mensaje::text[], :media_type::text[], :media_url::text[],
        :transcripcion_audio::text[], :now::timestamptz[]
    ) WITH ORDINALITY AS u (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en, ord)
    LEFT JOIN lead l ON l.id = u.lead_id
), nuevo AS (
    INSERT INTO turno (id, lead_id, empresa_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en)
    SELECT id, lead_id, empresa_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en
    FROM t
    WHERE empresa_id IS NOT NULL
    ORDER BY ord
    ON CONFLICT (lead_id, id) DO NOTHING
)
SELECT lead_id FROM t WHERE empresa_id IS NULL
