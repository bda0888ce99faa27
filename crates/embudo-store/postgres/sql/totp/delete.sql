DELETE FROM totp WHERE usuario_id = $1::uuid
