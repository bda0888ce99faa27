-- Writes the fields sent into the one qualification of many leads (one row per lead), keeps the others.
-- Returns the leads that do not exist.
WITH cambio AS (
    INSERT INTO calificacion AS c (lead_id, empresa_id, score, nivel, criterios, notas_agente, creado_en, actualizado_en)
    SELECT l.id, l.empresa_id, q.score, q.nivel, q.criterios, q.notas_agente, q.creado_en, q.actualizado_en
    FROM unnest(
        :lead::uuid[], :score::bigint[], :nivel::text[], :criterios::text[], :notas_agente::text[], :creado_en::timestamptz[],
        :actualizado_en::timestamptz[]
    ) AS q (lead_id, score, nivel, criterios, notas_agente, creado_en, actualizado_en)
    JOIN lead l ON l.id = q.lead_id
    ORDER BY l.id
    ON CONFLICT (lead_id) DO UPDATE
    SET score = coalesce(excluded.score, c.score),
        nivel = coalesce(excluded.nivel, c.nivel),
        criterios = coalesce(excluded.criterios, c.criterios),
        notas_agente = coalesce(excluded.notas_agente, c.notas_agente),
        actualizado_en = excluded.actualizado_en
)
SELECT p.lead_id
FROM unnest(:lead::uuid[]) AS p (lead_id)
WHERE NOT EXISTS (SELECT FROM lead l WHERE l.id = p.lead_id)
