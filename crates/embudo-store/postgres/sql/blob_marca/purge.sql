-- Deletes old traces. The leads are also given as an array, so that PostgreSQL finds the rows by their key.
WITH vieja AS MATERIALIZED (
    SELECT lead_id, huella
    FROM blob_marca
    WHERE barrido AND creado_en < :before::timestamptz
    ORDER BY creado_en
    LIMIT :limit::bigint
    FOR UPDATE SKIP LOCKED
)
DELETE FROM blob_marca m
WHERE m.lead_id = ANY (ARRAY(SELECT lead_id FROM vieja))
    AND EXISTS (SELECT FROM vieja v WHERE v.lead_id = m.lead_id AND v.huella = m.huella)
