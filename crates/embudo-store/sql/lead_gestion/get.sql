-- What people decided about a lead.
SELECT
    e.lead_id, e.empresa_id, e.etapa, e.desde, g.asignado_id, g.archivado_en, g.archivado_por, g.archivado_motivo, g.accion_en,
    g.accion_texto, g.obra_inicio, g.obra_dias, g.obra_progreso, u.principal_id
FROM lead_etapa e
LEFT JOIN lead_gestion g ON g.lead_id = e.lead_id
LEFT JOIN lead_union u ON u.lead_id = e.lead_id
