-- The query adds its conditions.
SELECT
    usuario.id, usuario.email, usuario.email_normal, usuario.nombre, usuario.administrador, usuario.activo, usuario.creado_en,
    usuario.clave IS NOT NULL AS tiene_clave, totp.usuario_id IS NOT NULL AS tiene_totp
FROM usuario
LEFT JOIN totp ON totp.usuario_id = usuario.id
