-- Writes no row if the person does not exist or may not sign in.
INSERT INTO sesion (id, huella, usuario_id, empresa_id, propio, a_medias, agente, ip, creada_en, usada_en, expira_en)
SELECT :id, :huella, usuario.id, :empresa, :propio, :a_medias, :agente, :ip, :creada_en, :usada_en, :expira_en
FROM usuario WHERE usuario.id = :usuario AND usuario.activo = true
