-- One row for all photos of a zona and momento that were saved together. The query adds conditions, order and limit.
SELECT zona, momento, how_many, creado_en
FROM (
    SELECT lead_id, zona, momento, creado_en, count(*) AS how_many FROM foto WHERE lead_id = :lead
    GROUP BY lead_id, zona, momento, creado_en
) AS grupo
