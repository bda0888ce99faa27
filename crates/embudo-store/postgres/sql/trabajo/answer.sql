-- Ends the signals of a lead that were sent and wait for another attempt. The end of a running attempt finds the answer
-- itself (trabajo/held.sql). `estado || ''` fits no partial index, so that the few jobs of the lead are read, not all
-- pending jobs.
UPDATE trabajo
SET estado = 'hecho', terminado_en = :now::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = :lead::uuid
    AND tipo = :tipo::text
    AND estado || '' = 'pendiente'
    AND intentos > 0
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= clock_timestamp())
