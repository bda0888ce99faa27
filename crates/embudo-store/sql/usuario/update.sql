UPDATE usuario SET nombre = :nombre, administrador = :administrador, activo = :activo WHERE id = :id
