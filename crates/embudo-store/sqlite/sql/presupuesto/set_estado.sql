-- ?1 id, ?2 estado, ?3 emitido_en (NULL keeps).
UPDATE presupuesto SET estado = ?2, emitido_en = coalesce(?3, emitido_en) WHERE id = ?1
