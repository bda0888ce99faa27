-- Marks a blob unless something of the lead names it: a photo, what was made of one, or a quote's PDF; says whether something
-- does. Every mark has a new number, also one over another or over the trace of an earlier deletion.
WITH uso AS (
    SELECT
        EXISTS (SELECT FROM foto f WHERE f.lead_id = $1::uuid AND (f.bytes = $2::bytea OR f.crudo = $2::bytea))
        OR EXISTS (
            SELECT FROM rendicion r
            WHERE r.lead_id = $1::uuid AND (r.copia = $2::bytea OR r.impresion = $2::bytea OR r.miniatura = $2::bytea)
        )
        OR EXISTS (SELECT FROM presupuesto p WHERE p.lead_id = $1::uuid AND p.pdf_huella = $2::bytea) AS hay
), marca AS (
    INSERT INTO blob_marca (lead_id, huella, creado_en)
    SELECT $1::uuid, $2::bytea, $3::timestamptz FROM uso WHERE NOT uso.hay
    ON CONFLICT (lead_id, huella) DO UPDATE
    SET vez = excluded.vez, barrido = false, creado_en = excluded.creado_en
)
SELECT hay FROM uso
