-- The query adds its conditions, order and limit.
SELECT
    id, canal, numero_intento, resultado, completado, duracion_seg, substr(notas, 1, 16001) AS notas,
    substr(metadata, 1, 2001) AS metadata, creado_en
FROM intento
