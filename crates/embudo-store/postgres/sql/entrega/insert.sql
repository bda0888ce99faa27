INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta)
SELECT e.trabajo_id, e.inicio, e.duracion_ms, e.ok, e.status, e.error, e.respuesta
FROM unnest(
    :trabajo::uuid[], :inicio::timestamptz[], :duracion_ms::bigint[], :ok::boolean[], :status::integer[], :error::text[],
    :respuesta::text[]
) WITH ORDINALITY AS e (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta, ord)
ORDER BY e.ord
