-- If there is no such lead, `empresa_id` is null, so `OR IGNORE` skips the row.
INSERT OR IGNORE INTO nota (id, empresa_id, lead_id, texto, zona, creado_en)
VALUES (:id, (SELECT empresa_id FROM lead WHERE id = :lead), :lead, :texto, :zona, :now)
