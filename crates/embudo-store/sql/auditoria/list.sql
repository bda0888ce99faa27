-- The query adds its conditions, order and limit.
SELECT id, en, usuario_id, quien, empresa_id, accion, objeto, ip, antes, despues FROM auditoria
