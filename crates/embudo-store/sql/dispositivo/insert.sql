-- Writes no row if the person does not exist or may not sign in.
INSERT INTO dispositivo (id, usuario_id, sesion_id, endpoint, p256dh, auth, agente, creado_en)
SELECT :id, usuario.id, :sesion, :endpoint, :p256dh, :auth, :agente, :now
FROM usuario WHERE usuario.id = :usuario AND usuario.activo = true
