-- What came in for a lead since an instant.
SELECT
    EXISTS (
        SELECT FROM foto f WHERE f.lead_id = $1::uuid AND f.momento = 'despues' AND f.creado_en >= $2::timestamptz
    ) AS renders,
    EXISTS (
        SELECT FROM evento e WHERE e.lead_id = $1::uuid AND e.tipo = 'finalizar' AND e.creado_en >= $2::timestamptz
    ) AS finalizar
