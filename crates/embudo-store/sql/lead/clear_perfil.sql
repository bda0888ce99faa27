-- Clears the answers whose parameter is true.
UPDATE lead SET
    actualizado_en = :now,
    m2_suelo = CASE WHEN :m2_suelo THEN NULL ELSE m2_suelo END,
    estructural = CASE WHEN :estructural THEN NULL ELSE estructural END,
    presupuesto_declarado = CASE WHEN :presupuesto THEN NULL ELSE presupuesto_declarado END,
    presupuesto_target_cents = CASE WHEN :presupuesto THEN NULL ELSE presupuesto_target_cents END,
    taste_text = CASE WHEN :taste_text THEN NULL ELSE taste_text END
WHERE id = :lead
