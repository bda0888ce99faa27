-- Ends the job of a reply that the workflow recorded. A job under a lease stays pending: the attempt after the running
-- one finds the confirmation.
UPDATE trabajo SET estado = 'hecho', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL
WHERE id = :id AND lead_id = :lead AND tipo = :tipo AND estado = 'pendiente'
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
