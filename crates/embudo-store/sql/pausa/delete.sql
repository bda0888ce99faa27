DELETE FROM pausa WHERE empresa_id = :empresa AND tipo = :tipo
