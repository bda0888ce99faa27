-- The query adds its conditions, order and limit.
SELECT id, autor_id, substr(texto, 1, 16001) AS texto, creado_en FROM nota_interna
