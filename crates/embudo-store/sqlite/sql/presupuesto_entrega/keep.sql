-- The job is about to be forgotten.
UPDATE presupuesto_entrega SET trabajo_estado = :estado, en = :terminado_en WHERE trabajo_id = :trabajo
