-- ?1 lead_id, ?2 tipo, ?3 simulado, ?4 ok, ?5 detalle, ?6 creado_en. No row: there is no such lead.
INSERT INTO evento (empresa_id, lead_id, tipo, simulado, ok, detalle, creado_en)
SELECT empresa_id, id, ?2, ?3, ?4, ?5, ?6 FROM lead WHERE id = ?1
