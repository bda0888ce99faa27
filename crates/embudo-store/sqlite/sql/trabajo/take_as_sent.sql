UPDATE trabajo SET estado = 'hecho', terminado_en = :now, en_duda = 0 WHERE id = :id AND estado || '' = 'aparcado'
