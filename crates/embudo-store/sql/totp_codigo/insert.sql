INSERT INTO totp_codigo (usuario_id, huella) VALUES (:usuario, :huella)
