UPDATE trabajo SET estado = 'hecho', terminado_en = :now, en_duda = false WHERE id = :id AND estado || '' = 'aparcado'
