-- The next number of the company and year. A concurrent transaction waits here until this one ends; after a rollback it
-- gets this number.
INSERT INTO presupuesto_serie (empresa_id, anio, ultimo) VALUES (:empresa, :anio, 1)
ON CONFLICT (empresa_id, anio) DO UPDATE SET ultimo = presupuesto_serie.ultimo + 1
RETURNING ultimo
