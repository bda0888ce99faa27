-- A moment that is not given keeps the one that is there.
UPDATE presupuesto SET estado = :estado::text, emitido_en = coalesce(:emitido_en::timestamptz, emitido_en) WHERE id = :id::uuid
