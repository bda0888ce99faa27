DELETE FROM blob_marca
WHERE ctid = ANY (ARRAY(
    SELECT ctid
    FROM blob_marca
    WHERE barrido AND creado_en < $1::timestamptz
    ORDER BY creado_en
    LIMIT $2::bigint
    FOR UPDATE SKIP LOCKED
))
