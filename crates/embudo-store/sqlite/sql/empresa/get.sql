SELECT id, nombre, slug, por_defecto FROM empresa WHERE id = ?1
