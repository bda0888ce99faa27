-- The etapa of a lead, and the facts from which it is derived. A declined quote no longer counts once somebody reopened
-- the lead, or its client asked for a visit after all.
SELECT
    e.etapa, l.bucle_paso, g.archivado_en, g.obra_progreso,
    EXISTS (SELECT 1 FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = :aceptado) AS aceptado,
    EXISTS (SELECT 1 FROM presupuesto p WHERE p.lead_id = l.id AND (p.estado = :emitido OR p.estado = :rechazado)) AS emitido,
    EXISTS (
        SELECT 1 FROM presupuesto p
        WHERE p.lead_id = l.id AND p.estado = :rechazado AND (
            p.visita_en IS NULL
            OR EXISTS (
                SELECT 1 FROM presupuesto_respuesta r WHERE r.presupuesto_id = p.id AND r.creado_en > p.visita_en
            )
        ) AND (
            g.reabierto_en IS NULL
            OR EXISTS (
                SELECT 1 FROM presupuesto_respuesta r WHERE r.presupuesto_id = p.id AND r.creado_en > g.reabierto_en
            )
        )
    ) AS rechazado,
    EXISTS (SELECT 1 FROM visita w WHERE w.lead_id = l.id AND w.vigente_hasta IS NOT NULL) AS visita,
    EXISTS (SELECT 1 FROM borrador b WHERE b.lead_id = l.id AND b.motivo = :revision) AS por_revisar,
    EXISTS (SELECT 1 FROM evento v WHERE v.lead_id = l.id AND v.tipo = :perfil_completo) AS perfil,
    EXISTS (SELECT 1 FROM turno t WHERE t.lead_id = l.id) AS hablado
FROM lead l
LEFT JOIN lead_etapa e ON e.lead_id = l.id
LEFT JOIN lead_gestion g ON g.lead_id = l.id
WHERE l.id = :lead
