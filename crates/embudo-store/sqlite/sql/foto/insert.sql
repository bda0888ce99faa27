-- If there is no such lead, `empresa_id` is null, so `OR IGNORE` skips the row.
INSERT OR IGNORE INTO foto (id, empresa_id, lead_id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en)
VALUES (:id, (SELECT empresa_id FROM lead WHERE id = :lead), :lead, :zona, :momento, :orden, :url, :prefijo, :bytes, :crudo, :now)
