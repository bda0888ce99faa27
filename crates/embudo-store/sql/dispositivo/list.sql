-- The query adds its conditions and order.
SELECT id, usuario_id, sesion_id, endpoint, p256dh, auth, agente, creado_en, usado_en FROM dispositivo
