-- If `:emitido_en` is NULL, the stored time stays.
UPDATE presupuesto SET estado = :estado, emitido_en = coalesce(:emitido_en, emitido_en) WHERE id = :id
