-- The columns stand in the order of `rows::lead`.
SELECT
    lead.id, empresa.id, empresa.nombre, empresa.slug, empresa.por_defecto, empresa.email_avisos,
    empresa.avisos,
    lead.nombre, lead.telefono, lead.telefono_e164, lead.email, lead.provincia,
    {{lead.@name}},
    lead.creado_en, lead.actualizado_en,
    lead.bucle_paso, lead.bucle_desde, lead.bucle_limite, lead.bucle_vencido, lead.bucle_resenales,
    lead.email_normal
FROM lead
JOIN empresa ON empresa.id = lead.empresa_id
WHERE lead.id = ?1
