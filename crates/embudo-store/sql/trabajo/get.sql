-- A job, once for each line of its delivery log.
SELECT
    t.id, t.lead_id, t.empresa_id, t.tipo, t.carga, t.estado, t.intentos, t.proximo_en, t.en_duda, t.ultimo_error,
    t.creado_en, t.terminado_en, t.repite, e.inicio, e.duracion_ms, e.ok, e.status, e.error, e.respuesta
FROM trabajo t
LEFT JOIN entrega e ON e.trabajo_id = t.id
WHERE t.id = :id
ORDER BY e.n
