-- ?1 id, ?2 arrendado_por, ?3 estado, ?4 proximo_en (NULL keeps), ?5 terminado_en, ?6 whether the attempt was accepted, ?7 its
-- error. A parked job stays in doubt, as that is why it is parked. No row: the job is no longer this process's.
UPDATE trabajo SET
    estado = ?3,
    intentos = intentos + 1,
    proximo_en = coalesce(?4, proximo_en),
    arrendado_por = NULL,
    arrendado_hasta = NULL,
    en_duda = CASE WHEN ?3 = 'aparcado' THEN en_duda ELSE 0 END,
    ultimo_error = CASE WHEN ?6 THEN ultimo_error ELSE ?7 END,
    terminado_en = ?5
WHERE id = ?1 AND arrendado_por = ?2 AND +estado = 'pendiente'
RETURNING lead_id, tipo, creado_en
