-- ?1 id, ?2 actualizado_en, ?3 estado_wa, ?4 bot_step: NULL keeps.
UPDATE lead SET
    actualizado_en = ?2,
    estado_wa = coalesce(?3, estado_wa),
    bot_step = coalesce(?4, bot_step)
WHERE id = ?1
