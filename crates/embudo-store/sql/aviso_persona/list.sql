-- The notices that people chose, with their name, e-mail and role in the company. The query adds its conditions.
SELECT
    c.empresa_id, c.usuario_id, c.elegidos, c.en_dispositivos, c.solo_asignados, usuario.nombre, usuario.email, usuario.administrador, p.rol
FROM aviso_persona c
JOIN usuario ON usuario.id = c.usuario_id
LEFT JOIN pertenencia p ON p.usuario_id = c.usuario_id AND p.empresa_id = c.empresa_id
