UPDATE lead
SET bucle_paso = $2::text, bucle_desde = $3::timestamptz, bucle_limite = $4::timestamptz, bucle_vencido = $5::boolean,
    bucle_resenales = $6::bigint
WHERE id = $1::uuid
