UPDATE trabajo
SET estado = :estado::text,
    intentos = :intentos::bigint,
    proximo_en = :proximo_en::timestamptz,
    en_duda = :en_duda::boolean,
    terminado_en = NULL
WHERE id = :id::uuid
