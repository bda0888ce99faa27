-- What the numbers continue from, and whether one of these blobs is being swept. Runs after the lock, to see what it waited for.
SELECT
    (SELECT max(f.orden) FROM foto f WHERE f.lead_id = $1::uuid) AS maximo,
    EXISTS (SELECT FROM blob_marca m WHERE m.lead_id = $1::uuid AND m.huella = ANY ($2::bytea[])) AS marcada
