-- Records many contact attempts. An attempt that exists already was written by an earlier try whose commit was in
-- doubt.
-- Returns the leads that do not exist.
WITH nuevo AS (
    INSERT INTO intento
        (id, lead_id, empresa_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en)
    SELECT
        i.id, l.id, l.empresa_id, i.canal, i.numero_intento, i.resultado, i.completado, i.duracion_seg, i.notas, i.metadata,
        i.creado_en
    FROM unnest(
        :id::uuid[], :lead::uuid[], :canal::text[], :numero_intento::bigint[], :resultado::text[], :completado::boolean[],
        :duracion_seg::bigint[], :notas::text[], :metadata::text[], :now::timestamptz[]
    ) WITH ORDINALITY AS i (
        id, lead_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en, ord
    )
    JOIN lead l ON l.id = i.lead_id
    ORDER BY i.ord
    ON CONFLICT (lead_id, id) DO NOTHING
)
SELECT p.lead_id
FROM unnest(:lead::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
