-- $2–$5: which answers are taken back.
UPDATE lead
SET m2_suelo = CASE WHEN $2 THEN NULL ELSE m2_suelo END,
    estructural = CASE WHEN $3 THEN NULL ELSE estructural END,
    presupuesto_declarado = CASE WHEN $4 THEN NULL ELSE presupuesto_declarado END,
    presupuesto_target_cents = CASE WHEN $4 THEN NULL ELSE presupuesto_target_cents END,
    taste_text = CASE WHEN $5 THEN NULL ELSE taste_text END,
    actualizado_en = $6
WHERE id = $1
