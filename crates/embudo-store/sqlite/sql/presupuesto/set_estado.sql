-- ?1 id, ?2 estado, ?3 enviado_en (NULL keeps).
UPDATE presupuesto SET estado = ?2, enviado_en = coalesce(?3, enviado_en) WHERE id = ?1
