-- ?1 lead_id, ?2 id, ?3 texto, ?4 zona, ?5 creado_en. Without such a lead the company is missing and the row is
-- ignored (see turno/append).
INSERT OR IGNORE INTO nota (id, empresa_id, lead_id, texto, zona, creado_en)
VALUES (?2, (SELECT empresa_id FROM lead WHERE id = ?1), ?1, ?3, ?4, ?5)
