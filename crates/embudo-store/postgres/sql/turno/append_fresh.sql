-- Appends many turns that bring no states and were never tried before, in the order given: nothing conflicts, so nothing
-- is looked for first. Only those of leads that are there and whose conversation has begun: where fewer rows are written
-- than were given, `append_plain.sql` does the others.
-- The arrays are unpacked side by side in the list of columns, which costs less than one function each in FROM.
-- `OFFSET 0` keeps the look at the lead where it stands: one by key for each row, whatever the planner thinks of the
-- tables.
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
