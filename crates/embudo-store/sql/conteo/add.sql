INSERT INTO conteo (tipo, sujeto, ventana, n, expira_en)
VALUES (:tipo, :sujeto, :ventana, :n, :expira)
ON CONFLICT (tipo, sujeto, ventana) DO UPDATE SET n = conteo.n + excluded.n
