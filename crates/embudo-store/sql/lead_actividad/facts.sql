-- The facts of leads, read from the tables where they were written. The query adds which leads.
SELECT
    l.id AS lead_id, l.empresa_id, l.creado_en, l.viable, l.canal_origen AS canal, l.bucle_limite AS limite_en,
    l.importado, l.urgencia,
    l.nombre, l.telefono, l.telefono_e164, l.email, l.provincia, ob.direccion,
    e.etapa, g.accion_en AS mano_en, g.obra_inicio, c.score AS puntuacion,
    (SELECT t.creado_en FROM turno t WHERE t.lead_id = l.id AND t.rol <> :system ORDER BY t.n DESC LIMIT 1) AS turno_en,
    (SELECT t.rol FROM turno t WHERE t.lead_id = l.id AND t.rol <> :system ORDER BY t.n DESC LIMIT 1) AS turno_rol,
    -- The last reply of a person that was sent, may have been sent, or is still to be sent by its job.
    (
        SELECT max(m.creado_en) FROM mensaje m LEFT JOIN trabajo j ON j.id = m.id
        WHERE m.lead_id = l.id AND (
            m.confirmado_en IS NOT NULL
            OR coalesce(j.estado, m.trabajo_estado) IN ('pendiente', 'hecho', 'aparcado')
        )
    ) AS respondido_en,
    (SELECT t.creado_en FROM turno t WHERE t.lead_id = l.id AND t.rol = :user ORDER BY t.n DESC LIMIT 1) AS usuario_en,
    (SELECT max(v.creado_en) FROM evento v WHERE v.lead_id = l.id) AS evento_en,
    (SELECT max(i.creado_en) FROM intento i WHERE i.lead_id = l.id) AS intento_en,
    (SELECT max(o.creado_en) FROM nota o WHERE o.lead_id = l.id) AS nota_en,
    (SELECT max(f.creado_en) FROM foto f WHERE f.lead_id = l.id) AS foto_en,
    (SELECT max(p.emitido_en) FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = :emitido) AS emitido_en,
    (
        SELECT max(p.visita_en) FROM presupuesto p
        WHERE p.lead_id = l.id AND (p.estado = :emitido OR p.estado = :rechazado) AND NOT EXISTS (
            SELECT 1 FROM presupuesto_respuesta r WHERE r.presupuesto_id = p.id AND r.creado_en > p.visita_en
        )
    ) AS visita_pedida_en,
    (SELECT b.creado_en FROM borrador b WHERE b.lead_id = l.id AND b.motivo = :revision) AS revisar_en,
    (SELECT min(w.inicio) FROM visita w WHERE w.lead_id = l.id AND w.estado = :confirmada AND w.vigente_hasta IS NOT NULL) AS visita_en,
    EXISTS (SELECT 1 FROM visita w WHERE w.lead_id = l.id AND w.estado = :propuesta) AS propuesta,
    (
        SELECT max(r.creado_en) FROM presupuesto p
        JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id AND r.aceptado = true
        WHERE p.lead_id = l.id AND p.estado = :aceptado
    ) AS aceptado_en,
    EXISTS (SELECT 1 FROM turno t WHERE t.lead_id = l.id AND t.rol = :assistant)
        OR EXISTS (SELECT 1 FROM intento i WHERE i.lead_id = l.id)
        OR EXISTS (SELECT 1 FROM presupuesto p WHERE p.lead_id = l.id AND p.emitido_en IS NOT NULL)
        OR EXISTS (SELECT 1 FROM visita w WHERE w.lead_id = l.id) AS tratado,
    (SELECT max(v.creado_en) FROM evento v WHERE v.lead_id = l.id AND v.tipo = :llamada) AS llamada_en,
    (SELECT max(v.creado_en) FROM evento v WHERE v.lead_id = l.id AND v.tipo = :derecho) AS derecho_en,
    (SELECT max(v.creado_en) FROM evento v WHERE v.lead_id = l.id AND v.tipo = :atendido) AS atendido_en,
    (
        SELECT max(i.creado_en) FROM intento i
        WHERE i.lead_id = l.id AND (
            i.resultado = :exitoso OR i.resultado = :rechaza OR (i.resultado IS NULL AND i.completado = true)
        )
    ) AS hablado_en
FROM lead l
LEFT JOIN lead_obra ob ON ob.lead_id = l.id
LEFT JOIN lead_etapa e ON e.lead_id = l.id
LEFT JOIN lead_gestion g ON g.lead_id = l.id
LEFT JOIN calificacion c ON c.lead_id = l.id
