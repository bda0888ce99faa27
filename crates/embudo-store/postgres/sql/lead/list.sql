-- One page of leads, newest first. A condition that is not asked for is null; the statement is planned anew with its values,
-- so each combination gets the index it deserves.
SELECT
    l.*, e.nombre AS empresa_nombre, e.slug AS empresa_slug, e.por_defecto AS empresa_por_defecto,
    e.email_avisos AS empresa_email_avisos, e.avisos AS empresa_avisos, c.nivel, c.score
FROM lead l
JOIN empresa e ON e.id = l.empresa_id
LEFT JOIN calificacion c ON c.lead_id = l.id
WHERE ($1::uuid IS NULL OR l.empresa_id = $1::uuid)
    AND ($2::text IS NULL OR l.telefono_e164 = $2::text)
    AND ($3::text IS NULL OR l.email_normal = $3::text)
    AND ($4::text IS NULL OR l.tipo_reforma = $4::text)
    AND ($5::text IS NULL OR c.nivel = $5::text)
    AND ($6::text IS NULL OR l.canal_origen = $6::text)
    AND ($7::boolean IS NULL OR l.viable = $7::boolean)
    AND ($8::text IS NULL OR l.estado_wa = $8::text)
    AND ($9::text IS NULL OR strpos(l.busqueda, $9::text) > 0)
    AND ($10::timestamptz IS NULL OR l.creado_en >= $10::timestamptz)
    AND ($11::timestamptz IS NULL OR l.creado_en < $11::timestamptz)
    AND ($12::timestamptz IS NULL OR (l.creado_en, l.id) < ($12::timestamptz, $13::uuid))
ORDER BY l.creado_en DESC, l.id DESC
LIMIT $14::bigint
