UPDATE empresa
SET nombre = coalesce($2::text, nombre), slug = coalesce($3::text, slug), por_defecto = por_defecto OR $4::boolean
WHERE id = $1::uuid
RETURNING id, nombre, slug, por_defecto
