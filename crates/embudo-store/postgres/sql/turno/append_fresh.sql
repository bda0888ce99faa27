-- Appends many turns that bring no states and were never tried before, in the order given: no row can conflict, so none
-- is checked. Skips turns of leads that do not exist or whose conversation has not begun: if fewer rows are written
-- than were given, the caller runs `append_plain.sql` for the others.
-- The arrays are unpacked side by side in the list of columns, which costs less than one function each in FROM.
-- `OFFSET 0` keeps the planner from moving the subquery: it reads the etapa of each row's lead once, by key.
INSERT INTO turno (id, lead_id, empresa_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en)
SELECT t.id, t.lead_id, t.empresa_id, t.rol, t.mensaje, t.media_type, t.media_url, t.transcripcion_audio, t.creado_en
FROM (
    SELECT u.*, (SELECT l.empresa_id FROM lead_etapa l WHERE l.lead_id = u.lead_id AND l.etapa <> :nuevo::text) AS empresa_id
    FROM (
        SELECT unnest(:id::uuid[]) AS id, unnest(:lead::uuid[]) AS lead_id, unnest(:rol::text[]) AS rol,
            unnest(:mensaje::text[]) AS mensaje, unnest(:media_type::text[]) AS media_type,
            unnest(:media_url::text[]) AS media_url, unnest(:transcripcion_audio::text[]) AS transcripcion_audio,
            unnest(:now::timestamptz[]) AS creado_en
    ) AS u
    OFFSET 0
) AS t
WHERE t.empresa_id IS NOT NULL
