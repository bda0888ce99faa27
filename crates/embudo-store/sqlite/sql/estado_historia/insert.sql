-- ?1 lead_id, ?2 campo, ?3 valor, ?4 creado_en.
INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
SELECT empresa_id, id, ?2, ?3, ?4 FROM lead WHERE id = ?1
