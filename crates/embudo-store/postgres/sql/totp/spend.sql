-- No row: the period's codes are used up.
UPDATE totp SET ultimo_paso = :paso::bigint WHERE usuario_id = :usuario::uuid AND ultimo_paso < :paso::bigint
