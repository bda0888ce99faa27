-- `:emitido_en` NULL keeps.
UPDATE presupuesto SET estado = :estado, emitido_en = coalesce(:emitido_en, emitido_en) WHERE id = :id
