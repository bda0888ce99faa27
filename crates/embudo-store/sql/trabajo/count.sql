-- Two halves, because each has an index of its own.
SELECT tipo, estado, count(*) AS how_many FROM trabajo WHERE estado = 'pendiente' GROUP BY tipo, estado
UNION ALL
SELECT tipo, estado, count(*) FROM trabajo WHERE estado = 'muerto' OR estado = 'aparcado' GROUP BY tipo, estado
