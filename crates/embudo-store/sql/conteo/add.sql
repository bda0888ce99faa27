-- `{{rows}}` stands for the rows, each with its parameters.
INSERT INTO conteo (tipo, sujeto, ventana, n, expira_en) VALUES {{rows}}
ON CONFLICT (tipo, sujeto, ventana) DO UPDATE SET n = conteo.n + excluded.n
