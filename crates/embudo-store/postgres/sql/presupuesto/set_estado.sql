-- A moment that is not given keeps the one that is there.
UPDATE presupuesto SET estado = $2::text, emitido_en = coalesce($3::timestamptz, emitido_en) WHERE id = $1::uuid
