-- The columns stand in the order of `rows::lead_resumen`. The query adds its conditions, order and limit.
SELECT
    lead.id, empresa.id, empresa.nombre, empresa.slug, empresa.por_defecto, empresa.email_avisos,
    empresa.avisos,
    lead.nombre, lead.telefono, lead.telefono_e164, lead.email, lead.provincia,
    {{lead.@name}},
    lead.creado_en, lead.actualizado_en,
    lead.bucle_paso, lead.bucle_desde, lead.bucle_limite, lead.bucle_vencido, lead.bucle_resenales,
    calificacion.nivel, calificacion.score
FROM lead
CROSS JOIN empresa ON empresa.id = lead.empresa_id
LEFT JOIN calificacion ON calificacion.lead_id = lead.id
