-- A pending job becomes due; one that ended starts over.
UPDATE trabajo
SET proximo_en = $2::timestamptz,
    intentos = CASE WHEN estado = 'pendiente' THEN intentos ELSE 0 END,
    en_duda = en_duda AND estado = 'pendiente',
    terminado_en = NULL,
    estado = 'pendiente'
WHERE id = $1::uuid
