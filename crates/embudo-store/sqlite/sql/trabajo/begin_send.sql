-- ?1 id, ?2 arrendado_por.
UPDATE trabajo SET en_duda = 1 WHERE id = ?1 AND arrendado_por = ?2 AND +estado = 'pendiente'
