SELECT id, nombre, slug, por_defecto, email_avisos, avisos FROM empresa
