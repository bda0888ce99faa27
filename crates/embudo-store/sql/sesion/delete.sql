DELETE FROM sesion WHERE usuario_id = :usuario AND id = :id
