-- ?1 id, ?2 nombre, ?3 slug, ?4 por_defecto, ?5 email_avisos, ?6 avisos, ?7 creado_en. No row: the slug is taken.
INSERT INTO empresa (id, nombre, slug, por_defecto, email_avisos, avisos, creado_en)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (slug) DO NOTHING
