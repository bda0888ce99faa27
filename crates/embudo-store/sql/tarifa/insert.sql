-- Writes no row if there is no such company.
INSERT INTO tarifa (empresa_id, version, desde, texto, creado_en)
SELECT id, :version, :desde, :texto, :creado_en FROM empresa WHERE id = :empresa
