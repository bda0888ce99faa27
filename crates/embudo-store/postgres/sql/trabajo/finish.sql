-- Ends attempts. A null `:proximo_en` leaves the job's own. The caller has locked the jobs.
UPDATE trabajo t
SET estado = f.estado,
    intentos = t.intentos + 1,
    proximo_en = coalesce(f.proximo_en, t.proximo_en),
    terminado_en = f.terminado_en,
    en_duda = f.en_duda,
    ultimo_error = f.ultimo_error,
    arrendado_por = NULL,
    arrendado_hasta = NULL
FROM unnest(
    :id::uuid[], :estado::text[], :proximo_en::timestamptz[], :terminado_en::timestamptz[], :en_duda::boolean[],
    :ultimo_error::text[]
) AS f (id, estado, proximo_en, terminado_en, en_duda, ultimo_error)
WHERE t.id = f.id
