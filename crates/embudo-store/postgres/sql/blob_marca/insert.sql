-- Marks a blob ($3 now). A trace, or a mark of before $4, gives way: the new mark has a number of its own.
INSERT INTO blob_marca AS m (lead_id, huella, creado_en)
VALUES ($1::uuid, $2::bytea, $3::timestamptz)
ON CONFLICT (lead_id, huella) DO UPDATE
SET vez = excluded.vez, barrido = false, creado_en = excluded.creado_en
WHERE m.barrido OR m.creado_en < $4::timestamptz
RETURNING vez
