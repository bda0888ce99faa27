UPDATE empresa SET nombre = ?2, slug = ?3, por_defecto = ?4, email_avisos = ?5, avisos = ?6 WHERE id = ?1
