SELECT id, nombre, slug, por_defecto, email_avisos, avisos, avisos_elegidos, avisos_personas FROM empresa
