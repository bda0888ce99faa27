-- An empty address for notices removes it.
UPDATE empresa
SET nombre = coalesce($2::text, nombre),
    slug = coalesce($3::text, slug),
    por_defecto = por_defecto OR $4::boolean,
    email_avisos = CASE WHEN $5::text IS NULL THEN email_avisos ELSE nullif($5::text, '') END,
    avisos = coalesce($6::boolean, avisos)
WHERE id = $1::uuid
RETURNING id, nombre, slug, por_defecto, email_avisos, avisos
