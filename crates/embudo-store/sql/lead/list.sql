-- The query adds its conditions, order and limit. Every lead has a company; LEFT JOIN, so that SQLite begins with the
-- leads. Three tables and the one with the searched texts are as many as PostgreSQL may reorder (join_collapse_limit):
-- with one more it would join all leads before it looks for the text.
SELECT
    lead.id, lead.empresa_id, empresa.nombre AS empresa_nombre, empresa.slug AS empresa_slug,
    empresa.por_defecto AS empresa_por_defecto, empresa.email_avisos AS empresa_email_avisos,
    empresa.avisos AS empresa_avisos, empresa.avisos_elegidos AS empresa_avisos_elegidos,
    empresa.avisos_personas AS empresa_avisos_personas,
    lead.nombre, lead.telefono, lead.telefono_e164, lead.email, lead.provincia,
    {{lead.@name}},
    lead.creado_en, lead.actualizado_en,
    lead.bucle_paso, lead.bucle_desde, lead.bucle_limite, lead.bucle_vencido, lead.bucle_resenales,
    calificacion.nivel, calificacion.score
FROM lead
LEFT JOIN empresa ON empresa.id = lead.empresa_id
LEFT JOIN calificacion ON calificacion.lead_id = lead.id
