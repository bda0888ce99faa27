UPDATE trabajo SET repite = $2::uuid WHERE id = $1::uuid
