-- ?1 id, ?2 estado, ?3 proximo_en (NULL keeps), ?4 terminado_en, ?5 whether the attempt was accepted, ?6 its error.
-- A parked job stays in doubt, as that is why it is parked.
UPDATE trabajo SET
    estado = ?2,
    intentos = intentos + 1,
    proximo_en = coalesce(?3, proximo_en),
    arrendado_por = NULL,
    arrendado_hasta = NULL,
    en_duda = CASE WHEN ?2 = 'aparcado' THEN en_duda ELSE 0 END,
    ultimo_error = CASE WHEN ?5 THEN ultimo_error ELSE ?6 END,
    terminado_en = ?4
WHERE id = ?1
