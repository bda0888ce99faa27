-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO evento (empresa_id, lead_id, tipo, simulado, ok, detalle, creado_en)
VALUES ((SELECT empresa_id FROM lead WHERE id = :lead), :lead, :tipo, :simulado, :ok, :detalle, :creado_en)
