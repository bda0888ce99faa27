UPDATE trabajo SET estado = 'descartado', terminado_en = :now, arrendado_por = NULL, arrendado_hasta = NULL WHERE id = :id
