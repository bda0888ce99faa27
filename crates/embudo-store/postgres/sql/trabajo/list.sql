-- One page of jobs, newest first. A condition that is not asked for is null; the statement is planned anew with its values.
SELECT *
FROM trabajo
WHERE ($1::text IS NULL OR estado = $1::text)
    AND ($2::text IS NULL OR tipo = $2::text)
    AND ($3::uuid IS NULL OR lead_id = $3::uuid)
    AND ($4::timestamptz IS NULL OR (creado_en, id) < ($4::timestamptz, $5::uuid))
ORDER BY creado_en DESC, id DESC
LIMIT $6::bigint
