UPDATE empresa SET nombre = :nombre, slug = :slug, por_defecto = :por_defecto, email_avisos = :email_avisos, avisos = :avisos WHERE id = :id
