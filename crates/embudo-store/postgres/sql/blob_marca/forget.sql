-- Deletes the traces that the caller knows (`:swept`, `:vez`): the caller has put these bytes again.
DELETE FROM blob_marca m
USING unnest(:swept::bytea[], :vez::bigint[]) AS b (huella, vez)
WHERE m.lead_id = :lead::uuid AND m.huella = b.huella AND m.vez = b.vez AND m.barrido AND m.huella = ANY (:huella::bytea[])
