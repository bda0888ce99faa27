-- ?1 trabajo_id, ?2 its estado, ?3 its terminado_en. The job is about to be forgotten.
UPDATE presupuesto_entrega SET trabajo_estado = ?2, en = ?3 WHERE trabajo_id = ?1
