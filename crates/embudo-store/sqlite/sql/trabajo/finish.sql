-- ?1 id, ?2 estado, ?3 proximo_en (NULL keeps), ?4 terminado_en, ?5 en_duda, ?6 ultimo_error.
UPDATE trabajo SET
    estado = ?2,
    intentos = intentos + 1,
    proximo_en = coalesce(?3, proximo_en),
    terminado_en = ?4,
    en_duda = ?5,
    ultimo_error = ?6,
    arrendado_por = NULL,
    arrendado_hasta = NULL
WHERE id = ?1
