DELETE FROM sesion WHERE usuario_id = $1::uuid AND id = $2::uuid
