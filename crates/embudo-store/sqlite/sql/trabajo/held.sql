-- ?1 id, ?2 arrendado_por. No row: the job is no longer this process's.
SELECT lead_id, tipo, creado_en, intentos, en_duda, ultimo_error
FROM trabajo WHERE id = ?1 AND arrendado_por = ?2 AND +estado = 'pendiente'
