INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT empresa_id, lead_id, id, :canal, :trabajo, :simulada, :now FROM presupuesto WHERE id = :presupuesto
