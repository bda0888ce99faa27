-- ?1 arrendado_por.
UPDATE trabajo SET arrendado_por = NULL, arrendado_hasta = NULL
WHERE estado = 'pendiente' AND arrendado_hasta IS NOT NULL AND arrendado_por = ?1
