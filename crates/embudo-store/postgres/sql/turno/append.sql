-- Appends many turns, updates the states of their leads (`e_`, one row per lead, with the last turn that brings one) and keeps
-- their history (`h_`). A lead in the etapa `:nuevo` gets `:begun`, because its conversation begins.
-- A turn that exists already was written by an earlier try whose commit was in doubt: that try did everything, so
-- nothing is done again. The update looks for the turn in the table and not in `nuevo`: PostgreSQL checks the condition
-- again for a lead that another transaction has changed, and cannot read what the same statement writes while it does
-- that.
-- The leads are sorted and updated one by one, so that two processes lock them in the same order. If a plan ever
-- changed that order, the worst would be a deadlock, after which the group is tried again.
-- The history is written after the lead is locked, so that its last value is the lead's value. `IS TRUE` keeps the
-- planner from turning a hashed lookup into a nested loop. Returns the leads that do not exist.
WITH nuevo AS (
    INSERT INTO turno (id, lead_id, empresa_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en)
    SELECT t.id, l.id, l.empresa_id, t.rol, t.mensaje, t.media_type, t.media_url, t.transcripcion_audio, t.creado_en
    FROM unnest(
        :id::uuid[], :lead::uuid[], :rol::text[], :mensaje::text[], :media_type::text[], :media_url::text[],
        :transcripcion_audio::text[], :now::timestamptz[]
    ) WITH ORDINALITY AS t (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en, ord)
    JOIN lead l ON l.id = t.lead_id
    ORDER BY t.ord
    ON CONFLICT (lead_id, id) DO NOTHING
    RETURNING id
), cambio AS (
    UPDATE lead l
    SET estado_wa = coalesce(e.estado_wa, l.estado_wa), bot_step = coalesce(e.bot_step, l.bot_step), actualizado_en = e.en
    FROM unnest(:e_lead::uuid[], :e_turno::uuid[], :e_estado_wa::text[], :e_bot_step::text[], :e_now::timestamptz[])
        AS e (lead_id, turno_id, estado_wa, bot_step, en)
    WHERE l.id = e.lead_id AND NOT EXISTS (SELECT FROM turno t WHERE t.lead_id = e.lead_id AND t.id = e.turno_id)
    RETURNING l.id
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
    SELECT l.empresa_id, l.id, h.campo, h.valor, h.en
    FROM unnest(:h_turno::uuid[], :h_lead::uuid[], :h_campo::text[], :h_valor::text[], :h_now::timestamptz[])
        WITH ORDINALITY AS h (turno_id, lead_id, campo, valor, en, ord)
    JOIN lead l ON l.id = h.lead_id
    WHERE (h.turno_id IN (SELECT id FROM nuevo)) IS TRUE AND (h.lead_id IN (SELECT id FROM cambio)) IS TRUE
    ORDER BY h.ord
), primero AS (
    UPDATE lead_etapa e
    SET etapa = :begun::text, desde = p.en
    FROM (
        SELECT u.lead_id, min(u.en) AS en FROM unnest(:lead::uuid[], :now::timestamptz[]) AS u (lead_id, en)
        GROUP BY u.lead_id ORDER BY u.lead_id
    ) AS p
    WHERE e.lead_id = p.lead_id AND e.etapa = :nuevo::text
)
SELECT p.lead_id
FROM unnest(:lead::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
