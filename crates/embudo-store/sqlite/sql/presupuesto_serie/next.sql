-- ?1 empresa_id, ?2 anio. The next number of the company and year.
INSERT INTO presupuesto_serie (empresa_id, anio, ultimo) VALUES (?1, ?2, 1)
ON CONFLICT (empresa_id, anio) DO UPDATE SET ultimo = ultimo + 1
RETURNING ultimo
