-- The query adds its conditions, order and limit.
SELECT id, substr(texto, 1, 16001) AS texto, zona, creado_en FROM nota
