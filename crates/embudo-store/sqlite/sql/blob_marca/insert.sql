-- ?1 lead_id, ?2 huella, ?3 now, ?4 marks of before are dead. A trace or a dead mark gives way: the new mark has a number of its own.
INSERT OR REPLACE INTO blob_marca (lead_id, huella, creado_en)
SELECT ?1, ?2, ?3
WHERE NOT EXISTS (
    SELECT 1 FROM blob_marca WHERE lead_id = ?1 AND huella = ?2 AND barrido = 0 AND creado_en >= ?4
)
RETURNING vez
