-- Every event of a lead. Changes of its states are kept in their own history and read as events; at the same instant they
-- stand behind.
SELECT tipo, simulado, ok, detalle, creado_en
FROM (
    SELECT tipo, simulado, ok, detalle, creado_en, 0 AS clase, n FROM evento WHERE lead_id = $1::uuid
    UNION ALL
    SELECT campo, false, true, valor, creado_en, 1, n FROM estado_historia WHERE lead_id = $1::uuid
) e
ORDER BY creado_en, clase, n
