-- A null `:proximo_en` keeps the job's own.
UPDATE trabajo SET
    estado = :estado,
    intentos = intentos + 1,
    proximo_en = coalesce(:proximo_en, proximo_en),
    terminado_en = :terminado_en,
    en_duda = :en_duda,
    ultimo_error = :ultimo_error,
    arrendado_por = NULL,
    arrendado_hasta = NULL
WHERE id = :id
