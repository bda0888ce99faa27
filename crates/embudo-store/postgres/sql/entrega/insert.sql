INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta)
SELECT e.trabajo_id, e.inicio, e.duracion_ms, e.ok, e.status, e.error, e.respuesta
FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::boolean[], $5::integer[], $6::text[], $7::text[])
    WITH ORDINALITY AS e (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta, ord)
ORDER BY e.ord
