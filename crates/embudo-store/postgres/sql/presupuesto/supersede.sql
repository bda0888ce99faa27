-- `:estado` are the states that may become `:sustituido`.
UPDATE presupuesto SET estado = :sustituido::text WHERE lead_id = :lead::uuid AND estado = ANY (:estado::text[])
