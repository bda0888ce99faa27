-- What the numbers continue from, and whether one of these blobs (`:huella`) is being swept, or was after its bytes were last put:
-- a trace whose number the caller knows (`:swept`, `:vez`) does no harm. Runs after the lock, to see what it waited for.
SELECT
    (SELECT max(f.orden) FROM foto f WHERE f.lead_id = :lead::uuid) AS maximo,
    EXISTS (
        SELECT
        FROM blob_marca m
        WHERE m.lead_id = :lead::uuid
            AND m.huella = ANY (:huella::bytea[])
            AND NOT (
                m.barrido
                AND EXISTS (
                    SELECT
                    FROM unnest(:swept::bytea[], :vez::bigint[]) AS b (huella, vez)
                    WHERE b.huella = m.huella AND b.vez = m.vez
                )
            )
    ) AS marcada
