-- The query adds its conditions.
SELECT usuario_id, empresa_id, rol FROM pertenencia
