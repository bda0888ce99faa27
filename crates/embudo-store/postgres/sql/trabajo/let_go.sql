-- What was held ($4) while its destination was paused is due.
UPDATE trabajo t
SET proximo_en = $3::timestamptz
FROM unnest($2::text[]) AS k (tipo)
WHERE t.estado = 'pendiente' AND t.tipo = k.tipo AND t.proximo_en >= $4::timestamptz AND t.empresa_id = $1::uuid
