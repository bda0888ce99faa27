-- The query adds its conditions, order and limit.
SELECT campo, substr(valor, 1, 2001) AS valor, creado_en FROM estado_historia
