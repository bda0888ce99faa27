-- The next number of the company and year. Another transaction that wants one waits here until this one is committed, or gets the same
-- after a rollback.
INSERT INTO presupuesto_serie (empresa_id, anio, ultimo) VALUES (:empresa, :anio, 1)
ON CONFLICT (empresa_id, anio) DO UPDATE SET ultimo = presupuesto_serie.ultimo + 1
RETURNING ultimo
