-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO nota (id, empresa_id, lead_id, texto, zona, creado_en)
VALUES (:id, (SELECT empresa_id FROM lead WHERE id = :lead), :lead, :texto, :zona, :now)
