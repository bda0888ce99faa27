-- The data of leads from which figures are counted, without their quotes. The query adds which leads.
SELECT
    l.id AS lead_id, l.empresa_id, l.creado_en, l.canal_origen, e.etapa, e.desde, g.archivado_en, g.archivado_motivo,
    (SELECT substr(u.valor, 1, 200) FROM utm u WHERE u.lead_id = l.id AND u.nombre = :campana) AS campana,
    EXISTS (SELECT 1 FROM lead_union n WHERE n.lead_id = l.id) AS unido,
    (SELECT min(t.creado_en) FROM turno t WHERE t.lead_id = l.id AND t.rol = :user) AS palabra_en,
    (SELECT min(t.creado_en) FROM turno t WHERE t.lead_id = l.id AND t.rol = :assistant) AS turno_en,
    (SELECT min(i.creado_en) FROM intento i WHERE i.lead_id = l.id) AS intento_en,
    (
        SELECT min(m.creado_en) FROM mensaje m
        WHERE m.lead_id = l.id AND (m.confirmado_en IS NOT NULL OR m.canal <> :whatsapp)
    ) AS mensaje_en,
    (
        SELECT min(a.creado_en)
        FROM (SELECT min(t.creado_en) AS en FROM turno t WHERE t.lead_id = l.id AND t.rol = :user) AS p
        JOIN turno a ON a.lead_id = l.id AND a.rol = :assistant AND a.creado_en >= p.en
    ) AS respuesta_turno_en,
    (
        SELECT min(i.creado_en)
        FROM (SELECT min(t.creado_en) AS en FROM turno t WHERE t.lead_id = l.id AND t.rol = :user) AS p
        JOIN intento i ON i.lead_id = l.id AND i.creado_en >= p.en
    ) AS respuesta_intento_en,
    (
        SELECT min(m.creado_en)
        FROM (SELECT min(t.creado_en) AS en FROM turno t WHERE t.lead_id = l.id AND t.rol = :user) AS p
        JOIN mensaje m ON m.lead_id = l.id AND m.creado_en >= p.en AND (m.confirmado_en IS NOT NULL OR m.canal <> :whatsapp)
    ) AS respuesta_mensaje_en,
    EXISTS (SELECT 1 FROM evento v WHERE v.lead_id = l.id AND v.tipo = :perfil_completo) AS perfil,
    EXISTS (SELECT 1 FROM visita w WHERE w.lead_id = l.id AND w.inicio IS NOT NULL) AS visita
FROM lead l
JOIN lead_etapa e ON e.lead_id = l.id
LEFT JOIN lead_gestion g ON g.lead_id = l.id
