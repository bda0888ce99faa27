-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO foto (id, empresa_id, lead_id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en)
VALUES (:id, (SELECT empresa_id FROM lead WHERE id = :lead), :lead, :zona, :momento, :orden, :url, :prefijo, :bytes, :crudo, :now)
