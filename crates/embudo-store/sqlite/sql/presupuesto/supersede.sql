-- ?1 lead_id, ?2 a state that may become ?3.
UPDATE presupuesto SET estado = ?3 WHERE lead_id = ?1 AND estado = ?2
