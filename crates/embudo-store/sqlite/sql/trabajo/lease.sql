-- `:dura` is in microseconds.
UPDATE trabajo SET
    arrendado_por = :quien, arrendado_hasta = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :dura
WHERE id = :id
RETURNING
    id, lead_id, empresa_id, tipo, carga, estado, intentos, proximo_en, en_duda, ultimo_error, creado_en, terminado_en, repite
