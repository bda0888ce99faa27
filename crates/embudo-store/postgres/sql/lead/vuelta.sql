-- What came in for a lead after an instant; the call that made the signal is not the answer to it.
SELECT
    EXISTS (
        SELECT FROM foto f WHERE f.lead_id = $1::uuid AND f.momento = 'despues' AND f.creado_en > $2::timestamptz
    ) AS renders,
    EXISTS (
        SELECT FROM evento e WHERE e.lead_id = $1::uuid AND e.tipo = 'finalizar' AND e.creado_en > $2::timestamptz
    ) AS finalizar
