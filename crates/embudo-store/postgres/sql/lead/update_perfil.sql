-- Writes the fields sent on many leads ($1, $2 and the profile, one row per lead) and keeps the history of their states ($3–$7).
-- Leads come sorted and are reached one by one, as in turno/append.sql, and so is the history.
-- A history row whose command is there already came with a commit in doubt. Returns the leads that do not exist.
WITH cambio AS (
    UPDATE lead l
    SET {{@name = coalesce(c.@name, l.@name)}},
        actualizado_en = c.en
    FROM unnest($1::uuid[], $2::timestamptz[], {{$@n::@type[]}}) AS c (lead_id, en, {{@name}})
    WHERE l.id = c.lead_id
    RETURNING l.id
), historia AS (
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en, comando)
    SELECT l.empresa_id, l.id, h.campo, h.valor, h.en, h.comando
    FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
        WITH ORDINALITY AS h (comando, lead_id, campo, valor, en, ord)
    JOIN lead l ON l.id = h.lead_id
    WHERE (h.lead_id IN (SELECT id FROM cambio)) IS TRUE
    ORDER BY h.ord
    ON CONFLICT (lead_id, comando, campo) WHERE comando IS NOT NULL DO NOTHING
)
SELECT p.lead_id
FROM unnest($1::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
