UPDATE usuario SET nombre = $2::text, administrador = $3::boolean, activo = $4::boolean WHERE id = $1::uuid
