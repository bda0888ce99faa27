INSERT INTO pausa (empresa_id, tipo, desde, quien)
SELECT $1::uuid, k.tipo, $3::timestamptz, $4::text FROM unnest($2::text[]) AS k (tipo)
ON CONFLICT (empresa_id, tipo) DO NOTHING
