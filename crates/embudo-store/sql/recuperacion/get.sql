SELECT recuperacion.usuario_id
FROM recuperacion
JOIN usuario ON usuario.id = recuperacion.usuario_id
WHERE recuperacion.huella = :huella AND recuperacion.expira_en > :now AND usuario.activo = true
