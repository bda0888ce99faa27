-- Whether one of these blobs ($2) is being swept, or was after its bytes were last put: a trace whose number the caller knows
-- ($3–$4) does no harm. Runs after the lock, to see what it waited for; foto/max_orden asks the same.
SELECT EXISTS (
    SELECT
    FROM blob_marca m
    WHERE m.lead_id = $1::uuid
        AND m.huella = ANY ($2::bytea[])
        AND NOT (
            m.barrido
            AND EXISTS (
                SELECT
                FROM unnest($3::bytea[], $4::bigint[]) AS b (huella, vez)
                WHERE b.huella = m.huella AND b.vez = m.vez
            )
        )
) AS marcada
