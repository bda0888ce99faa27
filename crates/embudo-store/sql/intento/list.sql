SELECT id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en
FROM intento
WHERE lead_id = :lead
ORDER BY n
