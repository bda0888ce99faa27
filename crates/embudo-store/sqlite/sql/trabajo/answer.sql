-- ?1 lead_id, ?2 tipo, ?3 now. Signals that were sent and wait for another attempt; one that is being tried finds out at its end.
UPDATE trabajo INDEXED BY trabajo_espera SET
    estado = 'hecho', terminado_en = ?3, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = ?1 AND tipo = ?2 AND estado = 'pendiente' AND intentos > 0
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
