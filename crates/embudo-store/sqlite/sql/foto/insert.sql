-- ?1 lead_id, ?2 id, ?3 zona, ?4 momento, ?5 orden, ?6 url, ?7 prefijo, ?8 bytes, ?9 crudo, ?10 creado_en.
INSERT INTO foto (id, empresa_id, lead_id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en)
SELECT ?2, empresa_id, id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM lead WHERE id = ?1
