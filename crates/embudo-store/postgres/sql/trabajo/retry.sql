UPDATE trabajo
SET estado = $2::text, intentos = $3::bigint, proximo_en = $4::timestamptz, en_duda = $5::boolean, terminado_en = NULL
WHERE id = $1::uuid
