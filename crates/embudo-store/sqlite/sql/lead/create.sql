-- ?1 id, ?2 empresa_id (NULL: the default company), ?3 creado_en, ?4–?10 contact, ?11–?26 the profile.
-- No row: there is no such company.
INSERT INTO lead (
    id, empresa_id, creado_en, actualizado_en,
    nombre, telefono, telefono_e164, email, email_normal, provincia, busqueda,
    bot_step, estado_wa, canal_origen, viable, espacio, rango_m2, estilo, presupuesto_declarado,
    fotos_solicitadas_at, tipo_reforma, m2_suelo, calidad_global, urgencia, presupuesto_target_cents,
    taste_text, estructural
)
SELECT
    ?1, empresa.id, ?3, ?3,
    ?4, ?5, ?6, ?7, ?8, ?9, ?10,
    ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
    ?19, ?20, ?21, ?22, ?23, ?24,
    ?25, ?26
FROM empresa
WHERE empresa.id = coalesce(?2, (SELECT d.id FROM empresa AS d WHERE d.por_defecto = 1))
