-- ?1 empresa_id, ?2 version, ?3 desde, ?4 texto, ?5 creado_en. No row: there is no such company.
INSERT INTO tarifa (empresa_id, version, desde, texto, creado_en)
SELECT id, ?2, ?3, ?4, ?5 FROM empresa WHERE id = ?1
