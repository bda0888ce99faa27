SELECT tipo, estado, count(*) FROM trabajo WHERE estado = 'pendiente' GROUP BY tipo
UNION ALL
SELECT tipo, estado, count(*) FROM trabajo WHERE estado = 'muerto' OR estado = 'aparcado' GROUP BY tipo, estado
