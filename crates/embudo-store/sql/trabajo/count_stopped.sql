SELECT count(*) AS how_many
FROM (
    SELECT id FROM trabajo WHERE (estado = 'muerto' OR estado = 'aparcado') AND empresa_id = :empresa LIMIT :most
) s
