-- Ends signals that were sent and wait for another attempt. The end of a running attempt finds the answer itself
-- (bucle/since.sql).
UPDATE trabajo INDEXED BY trabajo_espera SET
    estado = 'hecho', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = :lead AND tipo = :tipo AND estado = 'pendiente' AND intentos > 0
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
