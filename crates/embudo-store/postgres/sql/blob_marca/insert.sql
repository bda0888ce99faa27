-- Marks a blob unless a photo of the lead names it; says whether one does.
WITH uso AS (
    SELECT EXISTS (SELECT FROM foto f WHERE f.lead_id = $1::uuid AND (f.bytes = $2::bytea OR f.crudo = $2::bytea)) AS hay
), marca AS (
    INSERT INTO blob_marca (lead_id, huella, creado_en)
    SELECT $1::uuid, $2::bytea, $3::timestamptz FROM uso WHERE NOT uso.hay
    ON CONFLICT (lead_id, huella) DO NOTHING
)
SELECT hay FROM uso
