-- `:estado` is a state that may become `:sustituido`.
UPDATE presupuesto SET estado = :sustituido WHERE lead_id = :lead AND estado = :estado
