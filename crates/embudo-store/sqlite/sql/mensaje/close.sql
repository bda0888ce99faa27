-- The job of a reply that was recorded; one that is being tried finds out when it would be tried again.
UPDATE trabajo SET estado = 'hecho', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL
WHERE id = :id AND lead_id = :lead AND tipo = :tipo AND estado = 'pendiente'
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
