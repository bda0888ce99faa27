-- ?1 lead_id, ?2 id, ?3 zona, ?4 momento, ?5 orden, ?6 url, ?7 prefijo, ?8 bytes, ?9 crudo, ?10 creado_en.
-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO foto (id, empresa_id, lead_id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en)
VALUES (?2, (SELECT empresa_id FROM lead WHERE id = ?1), ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
