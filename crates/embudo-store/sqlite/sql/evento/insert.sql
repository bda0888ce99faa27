-- ?1 lead_id, ?2 tipo, ?3 simulado, ?4 ok, ?5 detalle, ?6 creado_en. Without such a lead the company is missing and the
-- row is ignored (see turno/append).
INSERT OR IGNORE INTO evento (empresa_id, lead_id, tipo, simulado, ok, detalle, creado_en)
VALUES ((SELECT empresa_id FROM lead WHERE id = ?1), ?1, ?2, ?3, ?4, ?5, ?6)
