-- Ends attempts ($1–$6); a moment that is not given keeps the one that is there. The jobs are locked.
UPDATE trabajo t
SET estado = f.estado,
    intentos = t.intentos + 1,
    proximo_en = coalesce(f.proximo_en, t.proximo_en),
    terminado_en = f.terminado_en,
    en_duda = f.en_duda,
    ultimo_error = f.ultimo_error,
    arrendado_por = NULL,
    arrendado_hasta = NULL
FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[])
    AS f (id, estado, proximo_en, terminado_en, en_duda, ultimo_error)
WHERE t.id = f.id
