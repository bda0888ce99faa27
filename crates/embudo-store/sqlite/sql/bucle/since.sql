-- What came in for lead ?1 after ?2: a photo `despues`, a call with `finalizar`. Only later moments count, because the
-- call that made the signal is not the answer to it.
SELECT
    EXISTS (SELECT 1 FROM foto WHERE lead_id = ?1 AND momento = 'despues' AND creado_en > ?2) AS renders,
    EXISTS (SELECT 1 FROM evento WHERE lead_id = ?1 AND tipo = 'finalizar' AND creado_en > ?2) AS finalizar
