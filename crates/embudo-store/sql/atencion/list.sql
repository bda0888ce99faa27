-- Who answers leads instead of the bot. The query adds its conditions and order.
SELECT a.usuario_id, coalesce(u.nombre, '') AS nombre, a.desde, a.ultimo_en
FROM atencion a
LEFT JOIN usuario u ON u.id = a.usuario_id
