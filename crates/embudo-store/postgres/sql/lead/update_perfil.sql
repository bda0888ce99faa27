-- Writes the fields sent on many leads (one row per lead) and keeps the history of their states (`h_`).
-- The leads are sorted and updated one by one, as in turno/append.sql; the history is written in the same order.
-- The floor area of the leads in `:known` is known now, so their estimate is removed.
-- A history row that exists already with its command was written by an earlier try whose commit was in doubt.
-- Returns the leads that do not exist.
WITH cambio AS (
    UPDATE lead l
    SET {{@name = coalesce(c.@name, l.@name)}},
        actualizado_en = c.en
    FROM unnest(:lead::uuid[], :now::timestamptz[], {{:@name::@type[]}}) AS c (lead_id, en, {{@name}})
    WHERE l.id = c.lead_id
    RETURNING l.id
), conocida AS (
    UPDATE lead_obra o
    SET m2_estimado = NULL
    FROM cambio
    WHERE o.lead_id = cambio.id AND o.lead_id = ANY (:known::uuid[]) AND o.m2_estimado IS NOT NULL
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en, comando)
    SELECT l.empresa_id, l.id, h.campo, h.valor, h.en, h.comando
    FROM unnest(:h_comando::uuid[], :h_lead::uuid[], :h_campo::text[], :h_valor::text[], :h_now::timestamptz[])
        WITH ORDINALITY AS h (comando, lead_id, campo, valor, en, ord)
    JOIN lead l ON l.id = h.lead_id
    WHERE (h.lead_id IN (SELECT id FROM cambio)) IS TRUE
    ORDER BY h.ord
    ON CONFLICT (lead_id, comando, campo) WHERE comando IS NOT NULL DO NOTHING
)
SELECT p.lead_id
FROM unnest(:lead::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
