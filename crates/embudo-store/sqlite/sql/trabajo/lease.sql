-- ?1 id, ?2 arrendado_por, ?3 how long, in microseconds.
UPDATE trabajo SET
    arrendado_por = ?2, arrendado_hasta = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + ?3
WHERE id = ?1
RETURNING
    id, lead_id, empresa_id, tipo, carga, estado, intentos, proximo_en, en_duda, ultimo_error, creado_en, terminado_en
