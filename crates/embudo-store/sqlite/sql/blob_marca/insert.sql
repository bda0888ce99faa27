-- Marks a blob, unless a backup is being made. Replaces a trace, or a mark older than `:dead`, by a mark with a new
-- number. Returns no row if it marked nothing.
INSERT OR REPLACE INTO blob_marca (lead_id, huella, creado_en)
SELECT :lead, :huella, :now
WHERE NOT EXISTS (
    SELECT 1 FROM blob_marca WHERE lead_id = :lead AND huella = :huella AND barrido = 0 AND creado_en >= :dead
)
AND NOT EXISTS (
    SELECT 1 FROM arriendo WHERE nombre = 'backup' AND hasta > CAST(unixepoch('subsec') * 1000000 AS INTEGER)
)
RETURNING vez
