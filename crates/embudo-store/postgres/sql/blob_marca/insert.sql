-- Marks a blob, unless a backup is being made. Replaces a trace, or a mark older than `:dead`, by a mark with a new
-- number. Returns no row if it marked nothing.
INSERT INTO blob_marca AS m (lead_id, huella, creado_en)
SELECT :lead::uuid, :huella::bytea, :now::timestamptz
WHERE NOT EXISTS (SELECT FROM arriendo WHERE nombre = 'backup' AND hasta > clock_timestamp())
ON CONFLICT (lead_id, huella) DO UPDATE
SET vez = excluded.vez, barrido = false, creado_en = excluded.creado_en
WHERE m.barrido OR m.creado_en < :dead::timestamptz
RETURNING vez
