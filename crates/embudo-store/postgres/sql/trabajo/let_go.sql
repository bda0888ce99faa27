-- What was held while its destination was paused is due.
UPDATE trabajo t
SET proximo_en = :now::timestamptz
FROM unnest(:tipo::text[]) AS k (tipo)
WHERE t.estado = 'pendiente' AND t.tipo = k.tipo AND t.proximo_en >= :held::timestamptz AND t.empresa_id = :empresa::uuid
