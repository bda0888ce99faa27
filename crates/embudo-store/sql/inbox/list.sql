-- Leads as the inbox shows them. The query puts in the tables by which they are found, and adds its conditions, order
-- and limit. Joins are LEFT JOINs, so that SQLite begins with the table whose index has the order. First come the tables
-- by which most filters leave rows out: SQLite keeps this order, and PostgreSQL too behind the fourth table.
SELECT
    lead.id, lead.empresa_id, empresa.nombre AS empresa_nombre, empresa.slug AS empresa_slug,
    empresa.por_defecto AS empresa_por_defecto, empresa.email_avisos AS empresa_email_avisos,
    empresa.avisos AS empresa_avisos, empresa.avisos_elegidos AS empresa_avisos_elegidos,
    empresa.avisos_personas AS empresa_avisos_personas,
    lead.nombre, lead.telefono, lead.telefono_e164, lead.email, lead.provincia, (SELECT ob.direccion FROM lead_obra ob WHERE ob.lead_id = lead.id) AS direccion,
    {{lead.@name}},
    lead.creado_en, lead.actualizado_en,
    lead.bucle_paso, lead.bucle_desde, lead.bucle_limite, lead.bucle_vencido, lead.bucle_resenales,
    calificacion.nivel, calificacion.score,
    e.etapa, e.desde, a.actividad_en, a.usuario_en, a.turno_rol, a.accion, a.accion_en, a.limite_en,
    a.rango, a.vence_en, a.parte, a.orden_en,
    g.asignado_id, g.archivado_motivo, g.accion_texto, u.principal_id, v.visto_en
[from]
LEFT JOIN calificacion ON calificacion.lead_id = lead.id
LEFT JOIN lead_leido v ON v.lead_id = lead.id AND v.usuario_id = :who
LEFT JOIN lead_gestion g ON g.lead_id = lead.id
LEFT JOIN lead_union u ON u.lead_id = lead.id
LEFT JOIN empresa ON empresa.id = lead.empresa_id
