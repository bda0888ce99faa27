UPDATE empresa SET nombre = ?2, slug = ?3, por_defecto = ?4 WHERE id = ?1
