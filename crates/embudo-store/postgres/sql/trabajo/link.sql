UPDATE trabajo SET repite = :repite::uuid WHERE id = :id::uuid
