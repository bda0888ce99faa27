-- No row is written if there is no such company, or if it has this version.
INSERT INTO tarifa (empresa_id, version, desde, texto, creado_en)
SELECT e.id, :version::text, :desde::date, :texto::text, :creado_en::timestamptz FROM empresa e WHERE e.id = :empresa::uuid
ON CONFLICT (empresa_id, version) DO NOTHING
