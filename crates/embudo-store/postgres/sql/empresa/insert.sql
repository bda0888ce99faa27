INSERT INTO empresa (id, nombre, slug, por_defecto, email_avisos, avisos, creado_en) VALUES ($1, $2, $3, $4, $5, $6, $7)
