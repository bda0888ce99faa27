UPDATE usuario SET clave = :clave::text WHERE id = :id::uuid
