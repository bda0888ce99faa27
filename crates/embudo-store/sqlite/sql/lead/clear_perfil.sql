-- ?1 id, ?2 actualizado_en, ?3–?6 which answers are taken back.
UPDATE lead SET
    actualizado_en = ?2,
    m2_suelo = CASE WHEN ?3 THEN NULL ELSE m2_suelo END,
    estructural = CASE WHEN ?4 THEN NULL ELSE estructural END,
    presupuesto_declarado = CASE WHEN ?5 THEN NULL ELSE presupuesto_declarado END,
    presupuesto_target_cents = CASE WHEN ?5 THEN NULL ELSE presupuesto_target_cents END,
    taste_text = CASE WHEN ?6 THEN NULL ELSE taste_text END
WHERE id = ?1
