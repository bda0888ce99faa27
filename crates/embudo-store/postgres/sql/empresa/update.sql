-- An empty address for notices removes it.
UPDATE empresa
SET nombre = coalesce(:nombre::text, nombre),
    slug = coalesce(:slug::text, slug),
    por_defecto = por_defecto OR :por_defecto::boolean,
    email_avisos = CASE WHEN :email_avisos::text IS NULL THEN email_avisos ELSE nullif(:email_avisos::text, '') END,
    avisos = coalesce(:avisos::boolean, avisos)
WHERE id = :id::uuid
RETURNING id, nombre, slug, por_defecto, email_avisos, avisos, avisos_elegidos, avisos_personas
