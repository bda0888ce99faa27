DELETE FROM recuperacion WHERE usuario_id = :usuario::uuid AND invitacion = :invitacion::boolean
