UPDATE trabajo SET en_duda = true WHERE id = :id::uuid AND arrendado_por = :quien::uuid AND estado = 'pendiente'
