-- Records many contact attempts. One that is there already came with a commit in doubt.
-- Returns the leads that do not exist.
WITH nuevo AS (
    INSERT INTO intento
        (id, lead_id, empresa_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en)
    SELECT
        i.id, l.id, l.empresa_id, i.canal, i.numero_intento, i.resultado, i.completado, i.duracion_seg, i.notas, i.metadata,
        i.creado_en
    FROM unnest(
        $1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::bigint[], $8::text[], $9::text[],
        $10::timestamptz[]
    ) WITH ORDINALITY AS i (
        id, lead_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en, ord
    )
    JOIN lead l ON l.id = i.lead_id
    ORDER BY i.ord
    ON CONFLICT (lead_id, id) DO NOTHING
)
SELECT p.lead_id
FROM unnest($2::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
