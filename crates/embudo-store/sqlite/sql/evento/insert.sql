-- If there is no such lead, `empresa_id` is null, so `OR IGNORE` skips the row.
INSERT OR IGNORE INTO evento (empresa_id, lead_id, tipo, simulado, ok, detalle, creado_en)
VALUES ((SELECT empresa_id FROM lead WHERE id = :lead), :lead, :tipo, :simulado, :ok, :detalle, :creado_en)
