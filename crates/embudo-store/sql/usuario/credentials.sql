SELECT
    usuario.clave, totp.secreto, totp.ultimo_paso,
    (SELECT count(*) FROM totp_codigo WHERE totp_codigo.usuario_id = usuario.id) AS codigos
FROM usuario
LEFT JOIN totp ON totp.usuario_id = usuario.id
WHERE usuario.id = :id
