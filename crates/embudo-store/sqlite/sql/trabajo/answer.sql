-- Signals that were sent and wait for another attempt; one that is being tried finds out at its end.
UPDATE trabajo INDEXED BY trabajo_espera SET
    estado = 'hecho', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = :lead AND tipo = :tipo AND estado = 'pendiente' AND intentos > 0
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
