-- Sums of a company, in the order of their days.
SELECT dia, datos FROM cifra
WHERE empresa_id = :empresa AND zona = :zona AND nivel = :nivel AND dia >= :desde AND dia <= :hasta
ORDER BY dia
