-- Ends the pending jobs of a lead and kind. A job under a lease is being tried; the end of that attempt looks for a
-- newer job (newer.sql).
UPDATE trabajo INDEXED BY trabajo_espera SET
    estado = 'sustituido', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = :lead AND tipo = :tipo AND estado = 'pendiente'
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
