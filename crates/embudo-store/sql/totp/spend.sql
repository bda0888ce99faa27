-- Changes no row if the codes of the period were used already, or there is no second factor.
UPDATE totp SET ultimo_paso = :paso WHERE usuario_id = :usuario AND ultimo_paso < :paso
