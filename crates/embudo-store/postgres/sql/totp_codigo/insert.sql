INSERT INTO totp_codigo (usuario_id, huella) VALUES ($1::uuid, $2::bytea)
