UPDATE trabajo
SET arrendado_hasta = clock_timestamp() + $3::bigint * interval '1 microsecond'
WHERE id = ANY ($1::uuid[]) AND arrendado_por = $2::uuid AND estado = 'pendiente'
RETURNING id
