SELECT tipo, desde, quien FROM pausa WHERE empresa_id = :empresa
