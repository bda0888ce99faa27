UPDATE trabajo SET repite = :repite WHERE id = :id
