INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
SELECT empresa_id, id, $2::text, $3::text, $4::timestamptz FROM lead WHERE id = $1::uuid
