UPDATE usuario SET clave = :clave WHERE id = :id
