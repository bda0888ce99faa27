-- One page of a lead's events, oldest first, after a place ($2–$4, null for the beginning).
SELECT tipo, simulado, ok, detalle, creado_en, clase, n
FROM (
    SELECT tipo, simulado, ok, detalle, creado_en, 0::smallint AS clase, n FROM evento WHERE lead_id = $1::uuid
    UNION ALL
    SELECT campo, false, true, valor, creado_en, 1::smallint, n FROM estado_historia WHERE lead_id = $1::uuid
) e
WHERE $2::timestamptz IS NULL OR (creado_en, clase, n) > ($2::timestamptz, $3::smallint, $4::bigint)
ORDER BY creado_en, clase, n
LIMIT $5::bigint
