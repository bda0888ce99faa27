-- One under a living lease is being tried; its end looks for a newer one (newer.sql).
UPDATE trabajo INDEXED BY trabajo_espera SET
    estado = 'sustituido', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = :lead AND tipo = :tipo AND estado = 'pendiente'
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
