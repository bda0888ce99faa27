INSERT INTO conteo AS c (tipo, sujeto, ventana, n, expira_en)
SELECT * FROM unnest(
    :tipo::text[], :sujeto::uuid[], :ventana::bigint[], :n::bigint[], :expira::timestamptz[]
)
ON CONFLICT (tipo, sujeto, ventana) DO UPDATE SET n = c.n + excluded.n
