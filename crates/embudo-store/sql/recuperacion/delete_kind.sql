DELETE FROM recuperacion WHERE usuario_id = :usuario AND invitacion = :invitacion
