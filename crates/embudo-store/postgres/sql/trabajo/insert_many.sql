-- Makes jobs of many commands ($1–$8, due at $13), and ends those that wait and that they make pointless ($9–$12: the new job, its lead, its
-- kind, now); their leads are locked. What insert.sql does for one. A job that is there already came with a commit in doubt: it was
-- made as a whole, so nothing of it is done again. Returns the jobs made.
-- The state is asked for in a way that no partial index answers: the few jobs of a lead are looked at, not all that wait.
WITH sustituido AS (
    UPDATE trabajo t
    SET estado = 'sustituido', terminado_en = p.en, arrendado_por = NULL, arrendado_hasta = NULL
    FROM unnest($9::uuid[], $10::uuid[], $11::text[], $12::timestamptz[]) AS p (id, lead_id, tipo, en)
    WHERE t.lead_id = p.lead_id
        AND t.tipo = p.tipo
        AND t.estado || '' = 'pendiente'
        AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
        AND NOT EXISTS (SELECT FROM trabajo ya WHERE ya.id = p.id)
        AND EXISTS (SELECT FROM empresa e WHERE e.id = t.empresa_id AND (p.tipo <> 'aviso_formulario' OR (e.avisos AND coalesce(e.email_avisos, '') <> '')))
)
INSERT INTO trabajo
    (id, lead_id, empresa_id, tipo, carga, estado, proximo_en, arrendado_por, arrendado_hasta, creado_en)
SELECT
    p.id, p.lead_id, e.id, p.tipo, p.carga, 'pendiente', p.proximo_en, p.quien,
    CASE WHEN p.quien IS NOT NULL THEN clock_timestamp() + p.dura * interval '1 microsecond' END, p.en
FROM unnest(
    $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[], $8::bigint[],
    $13::timestamptz[]
) WITH ORDINALITY AS p (id, lead_id, empresa_id, tipo, carga, en, quien, dura, proximo_en, ord)
JOIN empresa e ON e.id = p.empresa_id
WHERE p.tipo NOT IN ('correo_empresa', 'aviso_formulario') OR (e.avisos AND coalesce(e.email_avisos, '') <> '')
ORDER BY p.ord
ON CONFLICT (id) DO NOTHING
RETURNING id
