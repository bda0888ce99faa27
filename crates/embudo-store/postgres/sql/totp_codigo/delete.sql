DELETE FROM totp_codigo WHERE usuario_id = $1::uuid
