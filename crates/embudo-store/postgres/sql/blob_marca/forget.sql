-- Drops the traces of blobs that are there again.
DELETE FROM blob_marca m
USING unnest($2::bytea[], $3::bigint[]) AS b (huella, vez)
WHERE m.lead_id = $1::uuid AND m.huella = b.huella AND m.vez = b.vez AND m.barrido AND m.huella = ANY ($4::bytea[])
