-- Saves the notes (`n_`) and events (`e_`) of many ingestions without photos; `:lead` are the leads of all of them.
-- A row that exists already was written by an earlier try whose commit was in doubt. Returns the leads that do not
-- exist.
WITH notas AS (
    INSERT INTO nota (id, lead_id, empresa_id, texto, zona, creado_en)
    SELECT n.id, l.id, l.empresa_id, n.texto, n.zona, n.creado_en
    FROM unnest(:n_id::uuid[], :n_lead::uuid[], :n_texto::text[], :n_zona::text[], :n_now::timestamptz[])
        WITH ORDINALITY AS n (id, lead_id, texto, zona, creado_en, ord)
    JOIN lead l ON l.id = n.lead_id
    ORDER BY n.ord
    ON CONFLICT (lead_id, id) DO NOTHING
), eventos AS (
    INSERT INTO evento (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en)
    SELECT e.id, l.id, l.empresa_id, e.tipo, e.simulado, e.ok, e.detalle, e.creado_en
    FROM unnest(
        :e_id::uuid[], :e_lead::uuid[], :e_tipo::text[], :e_simulado::boolean[], :e_ok::boolean[], :e_detalle::text[],
        :e_creado_en::timestamptz[]
    ) WITH ORDINALITY AS e (id, lead_id, tipo, simulado, ok, detalle, creado_en, ord)
    JOIN lead l ON l.id = e.lead_id
    ORDER BY e.ord
    ON CONFLICT (lead_id, id) DO NOTHING
)
SELECT p.lead_id
FROM unnest(:lead::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
