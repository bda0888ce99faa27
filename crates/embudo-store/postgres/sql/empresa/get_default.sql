SELECT id, nombre, slug, por_defecto FROM empresa WHERE por_defecto
