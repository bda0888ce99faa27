-- Returns the highest photo number of the lead, and whether one of these blobs (`:huella`) is being swept, or was swept
-- after its bytes were last put. A trace whose number the caller knows (`:swept`, `:vez`) does not count, because the
-- caller has put the bytes again. Runs after the lock, to see what the transaction that held the lock has written.
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
