-- The command replaces the marker after `VALUES` with one list of parameters for each count.
INSERT INTO conteo (tipo, sujeto, ventana, n, expira_en) VALUES {{rows}}
ON CONFLICT (tipo, sujeto, ventana) DO UPDATE SET n = conteo.n + excluded.n
