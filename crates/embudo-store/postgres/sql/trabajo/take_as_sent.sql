UPDATE trabajo
SET estado = 'hecho', terminado_en = :now::timestamptz, en_duda = false
WHERE id = :id::uuid AND estado || '' = 'aparcado'
