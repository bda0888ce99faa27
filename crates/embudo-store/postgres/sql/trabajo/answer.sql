-- Ends the signals of a lead that were sent and wait for another attempt; one that is being tried finds out at its end. The
-- state is asked for in a way that no partial index answers: the few jobs of a lead are looked at, not all that wait.
UPDATE trabajo
SET estado = 'hecho', terminado_en = :now::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = :lead::uuid
    AND tipo = :tipo::text
    AND estado || '' = 'pendiente'
    AND intentos > 0
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= clock_timestamp())
