-- The columns stand in the order of `rows::lead_resumen`. The query adds its conditions, order and limit.
SELECT
    lead.id, empresa.id, empresa.nombre, empresa.slug, empresa.por_defecto, empresa.email_avisos,
    empresa.avisos,
    lead.nombre, lead.telefono, lead.telefono_e164, lead.email, lead.provincia,
    lead.bot_step, lead.estado_wa, lead.canal_origen, lead.viable, lead.espacio, lead.rango_m2, lead.estilo,
    lead.presupuesto_declarado, lead.fotos_solicitadas_at, lead.tipo_reforma, lead.m2_suelo,
    lead.calidad_global, lead.urgencia, lead.presupuesto_target_cents, lead.taste_text, lead.estructural,
    lead.creado_en, lead.actualizado_en,
    lead.bucle_paso, lead.bucle_desde, lead.bucle_limite, lead.bucle_vencido, lead.bucle_resenales,
    calificacion.nivel, calificacion.score
FROM lead
CROSS JOIN empresa ON empresa.id = lead.empresa_id
LEFT JOIN calificacion ON calificacion.lead_id = lead.id
