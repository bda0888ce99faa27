-- Writes no row if there is no such person. (SQLite's grammar needs the `WHERE` before `ON CONFLICT`.)
INSERT INTO totp (usuario_id, secreto, ultimo_paso) SELECT id, :secreto, :paso FROM usuario WHERE id = :usuario
ON CONFLICT (usuario_id) DO UPDATE SET secreto = excluded.secreto, ultimo_paso = excluded.ultimo_paso
