-- Leads with rows after the cursors, and leads created since a moment, unless activity as late as these is projected.
SELECT t.lead_id
FROM (
    SELECT x.lead_id, max(x.creado_en) AS cuando
    FROM (
        SELECT lead_id, creado_en FROM turno WHERE n > :turno
        UNION ALL
        SELECT lead_id, creado_en FROM intento WHERE n > :intento
        UNION ALL
        SELECT lead_id, creado_en FROM evento WHERE n > :evento
        UNION ALL
        SELECT lead_id, creado_en FROM nota WHERE n > :nota
        UNION ALL
        SELECT lead_id, creado_en FROM foto WHERE n > :foto
        UNION ALL
        SELECT id, creado_en FROM lead WHERE creado_en > :since
    ) AS x
    GROUP BY x.lead_id
) AS t
LEFT JOIN lead_actividad a ON a.lead_id = t.lead_id
WHERE a.lead_id IS NULL OR a.actividad_en < t.cuando
