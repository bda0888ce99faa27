-- One note, in place of what stood under its id.
INSERT INTO nota (id, lead_id, empresa_id, texto, zona, creado_en)
VALUES ($2::uuid, $1::uuid, $3::uuid, $4::text, $5::text, $6::timestamptz)
ON CONFLICT (lead_id, id) DO UPDATE SET texto = excluded.texto
