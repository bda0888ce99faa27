UPDATE usuario SET nombre = :nombre::text, administrador = :administrador::boolean, activo = :activo::boolean WHERE id = :id::uuid
