-- The query adds its conditions and order.
SELECT id, usuario_id, empresa_id, propio, a_medias, agente, ip, creada_en, usada_en, expira_en FROM sesion
