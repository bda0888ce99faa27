-- The next number of the company and year. Whoever else wants one waits here until this one is committed, or gets the same
-- after a rollback.
INSERT INTO presupuesto_serie AS s (empresa_id, anio, ultimo) VALUES (:empresa::uuid, :anio::integer, 1)
ON CONFLICT (empresa_id, anio) DO UPDATE SET ultimo = s.ultimo + 1
RETURNING ultimo
