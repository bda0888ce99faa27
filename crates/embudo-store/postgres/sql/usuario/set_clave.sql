UPDATE usuario SET clave = $2::text WHERE id = $1::uuid
