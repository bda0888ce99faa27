UPDATE trabajo SET estado = :estado, intentos = :intentos, proximo_en = :proximo_en, en_duda = :en_duda, terminado_en = NULL WHERE id = :id
