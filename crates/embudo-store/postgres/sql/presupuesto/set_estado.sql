-- A moment that is not given keeps the one that is there.
UPDATE presupuesto SET estado = $2::text, enviado_en = coalesce($3::timestamptz, enviado_en) WHERE id = $1::uuid
