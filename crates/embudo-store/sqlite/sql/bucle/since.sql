-- What came in for lead ?1 at ?2 or later: a photo `despues`, a call with `finalizar`.
SELECT
    EXISTS (SELECT 1 FROM foto WHERE lead_id = ?1 AND momento = 'despues' AND creado_en >= ?2),
    EXISTS (SELECT 1 FROM evento WHERE lead_id = ?1 AND tipo = 'finalizar' AND creado_en >= ?2)
