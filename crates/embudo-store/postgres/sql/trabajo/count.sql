SELECT tipo, estado, count(*) AS cuantos FROM trabajo WHERE estado = 'pendiente' GROUP BY tipo, estado
UNION ALL
SELECT tipo, estado, count(*) AS cuantos FROM trabajo WHERE estado IN ('muerto', 'aparcado') GROUP BY tipo, estado
