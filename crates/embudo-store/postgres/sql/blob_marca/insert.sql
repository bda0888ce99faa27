-- Marks a blob, unless a backup is being made. A trace, or a mark of before `:dead`, gives way: the new mark has a number of its own.
INSERT INTO blob_marca AS m (lead_id, huella, creado_en)
SELECT :lead::uuid, :huella::bytea, :now::timestamptz
WHERE NOT EXISTS (SELECT FROM arriendo WHERE nombre = 'backup' AND hasta > clock_timestamp())
ON CONFLICT (lead_id, huella) DO UPDATE
SET vez = excluded.vez, barrido = false, creado_en = excluded.creado_en
WHERE m.barrido OR m.creado_en < :dead::timestamptz
RETURNING vez
