-- ?1 lead_id, ?2 id, ?3 texto, ?4 zona, ?5 creado_en. No row: there is no such lead.
INSERT INTO nota (id, empresa_id, lead_id, texto, zona, creado_en)
SELECT ?2, empresa_id, id, ?3, ?4, ?5 FROM lead WHERE id = ?1
