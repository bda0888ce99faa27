-- The query adds its conditions, order and limit.
SELECT
    t.id, t.lead_id, l.nombre, t.empresa_id, t.tipo, t.intentos, t.proximo_en, t.ultimo_error, t.creado_en, t.terminado_en,
    CASE
        WHEN t.estado <> 'pendiente' THEN t.estado
        WHEN t.arrendado_hasta > :now THEN 'enviando'
        WHEN p.tipo IS NOT NULL THEN 'en_pausa'
        WHEN t.intentos > 0 THEN 'reintentando'
        ELSE 'en_espera'
    END AS standing
FROM trabajo t
LEFT JOIN lead l ON l.id = t.lead_id
LEFT JOIN pausa p ON p.empresa_id = t.empresa_id AND p.tipo = t.tipo
