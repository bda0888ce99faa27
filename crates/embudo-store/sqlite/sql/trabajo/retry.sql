-- ?1 id, ?2 now. One that ended starts over with the whole schedule before it; a pending one is merely due now.
UPDATE trabajo SET
    proximo_en = ?2,
    intentos = CASE estado WHEN 'pendiente' THEN intentos ELSE 0 END,
    en_duda = CASE estado WHEN 'pendiente' THEN en_duda ELSE 0 END,
    estado = 'pendiente',
    terminado_en = NULL
WHERE id = ?1
