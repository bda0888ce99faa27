-- The lead's quotes in one of the states $2 get the state $3.
UPDATE presupuesto SET estado = $3::text WHERE lead_id = $1::uuid AND estado = ANY ($2::text[])
