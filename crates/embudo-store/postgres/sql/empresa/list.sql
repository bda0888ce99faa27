SELECT id, nombre, slug, por_defecto FROM empresa ORDER BY por_defecto DESC, nombre COLLATE "C", id
