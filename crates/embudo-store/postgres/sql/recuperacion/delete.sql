DELETE FROM recuperacion WHERE usuario_id = $1::uuid
