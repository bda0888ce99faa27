-- No row: the period's codes are used up.
UPDATE totp SET ultimo_paso = $2::bigint WHERE usuario_id = $1::uuid AND ultimo_paso < $2::bigint
