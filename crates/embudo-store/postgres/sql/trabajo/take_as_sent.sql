UPDATE trabajo
SET estado = 'hecho', terminado_en = $2::timestamptz, en_duda = false
WHERE id = $1::uuid AND estado || '' = 'aparcado'
