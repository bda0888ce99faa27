-- No row: the person is not there, or may not sign in.
INSERT INTO sesion (id, huella, usuario_id, empresa_id, propio, a_medias, agente, ip, creada_en, usada_en, expira_en)
SELECT $1::uuid, $2::bytea, usuario.id, $4::uuid, $5::boolean, $6::boolean, $7::text, $8::text, $9::timestamptz, $10::timestamptz, $11::timestamptz
FROM usuario WHERE usuario.id = $3::uuid AND usuario.activo = true
