-- No row is written if there is no such company, or if it has this version.
INSERT INTO tarifa (empresa_id, version, desde, texto, creado_en)
SELECT e.id, $2::text, $3::date, $4::text, $5::timestamptz FROM empresa e WHERE e.id = $1::uuid
ON CONFLICT (empresa_id, version) DO NOTHING
