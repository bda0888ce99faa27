-- Events, and changes of state as events; of the same instant, changes of state come last (`clase`). The query adds the
-- position after which the page starts, order and limit.
SELECT tipo, simulado, ok, detalle, creado_en, clase, n
FROM (
    SELECT tipo, simulado, ok, detalle, creado_en, 0 AS clase, n FROM evento WHERE lead_id = :lead
    UNION ALL
    SELECT campo, false, true, valor, creado_en, 1, n FROM estado_historia WHERE lead_id = :lead
) AS event
