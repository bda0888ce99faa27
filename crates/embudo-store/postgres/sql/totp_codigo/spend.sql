DELETE FROM totp_codigo WHERE usuario_id = $1::uuid AND huella = $2::bytea
