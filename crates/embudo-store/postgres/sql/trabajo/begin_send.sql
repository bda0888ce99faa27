UPDATE trabajo SET en_duda = true WHERE id = $1::uuid AND arrendado_por = $2::uuid AND estado = 'pendiente'
