-- No row: the person is not there, or may not sign in.
INSERT INTO sesion (id, huella, usuario_id, empresa_id, propio, a_medias, agente, ip, creada_en, usada_en, expira_en)
SELECT :id::uuid, :huella::bytea, usuario.id, :empresa::uuid, :propio::boolean, :a_medias::boolean, :agente::text, :ip::text, :creada_en::timestamptz, :usada_en::timestamptz, :expira_en::timestamptz
FROM usuario WHERE usuario.id = :usuario::uuid AND usuario.activo = true
