DELETE FROM sesion WHERE usuario_id = :usuario::uuid AND id = :id::uuid
