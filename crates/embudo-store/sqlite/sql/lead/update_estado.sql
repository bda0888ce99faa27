-- A null parameter keeps the column's value.
UPDATE lead SET
    actualizado_en = :now,
    estado_wa = coalesce(:estado_wa, estado_wa),
    bot_step = coalesce(:bot_step, bot_step)
WHERE id = :lead
