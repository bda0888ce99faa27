-- No row: there is no such person.
INSERT INTO totp (usuario_id, secreto, ultimo_paso) SELECT id, :secreto::bytea, :paso::bigint FROM usuario WHERE id = :usuario::uuid
ON CONFLICT (usuario_id) DO UPDATE SET secreto = excluded.secreto, ultimo_paso = excluded.ultimo_paso
