-- ?1 id, ?2 actualizado_en, ?3–?18 the profile: NULL keeps.
UPDATE lead SET
    actualizado_en = ?2,
    bot_step = coalesce(?3, bot_step),
    estado_wa = coalesce(?4, estado_wa),
    canal_origen = coalesce(?5, canal_origen),
    viable = coalesce(?6, viable),
    espacio = coalesce(?7, espacio),
    rango_m2 = coalesce(?8, rango_m2),
    estilo = coalesce(?9, estilo),
    presupuesto_declarado = coalesce(?10, presupuesto_declarado),
    fotos_solicitadas_at = coalesce(?11, fotos_solicitadas_at),
    tipo_reforma = coalesce(?12, tipo_reforma),
    m2_suelo = coalesce(?13, m2_suelo),
    calidad_global = coalesce(?14, calidad_global),
    urgencia = coalesce(?15, urgencia),
    presupuesto_target_cents = coalesce(?16, presupuesto_target_cents),
    taste_text = coalesce(?17, taste_text),
    estructural = coalesce(?18, estructural)
WHERE id = ?1
