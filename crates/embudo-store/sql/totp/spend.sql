-- No row: the period's codes are used up.
UPDATE totp SET ultimo_paso = :paso WHERE usuario_id = :usuario AND ultimo_paso < :paso
