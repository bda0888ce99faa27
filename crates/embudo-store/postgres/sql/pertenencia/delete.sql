DELETE FROM pertenencia WHERE usuario_id = $1::uuid
