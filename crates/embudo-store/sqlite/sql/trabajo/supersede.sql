-- ?1 lead_id, ?2 tipo, ?3 now. One under a living lease is being tried; its end looks for a newer one (newer.sql).
UPDATE trabajo INDEXED BY trabajo_espera SET
    estado = 'sustituido', terminado_en = ?3, arrendado_por = NULL, arrendado_hasta = NULL
WHERE lead_id = ?1 AND tipo = ?2 AND estado = 'pendiente'
    AND (arrendado_hasta IS NULL OR arrendado_hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
