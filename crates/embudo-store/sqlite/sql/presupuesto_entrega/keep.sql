-- Keeps the state of a deleted job with the quote that it delivered.
UPDATE presupuesto_entrega SET trabajo_estado = :estado, en = :terminado_en WHERE trabajo_id = :trabajo
