-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
VALUES ((SELECT empresa_id FROM lead WHERE id = :lead), :lead, :campo, :valor, :now)
