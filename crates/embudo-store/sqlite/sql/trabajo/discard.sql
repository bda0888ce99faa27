-- ?1 id, ?2 now.
UPDATE trabajo SET
    estado = 'descartado', terminado_en = ?2, arrendado_por = NULL, arrendado_hasta = NULL
WHERE id = ?1
