-- ?1 presupuesto_id, ?2 canal, ?3 trabajo_id, ?4 simulada, ?5 en.
INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT empresa_id, lead_id, id, ?2, ?3, ?4, ?5 FROM presupuesto WHERE id = ?1
