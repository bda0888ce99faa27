INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES ($1, $2, $3, $4, $5)
