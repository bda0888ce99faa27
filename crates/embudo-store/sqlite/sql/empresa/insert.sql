-- ?1 id, ?2 nombre, ?3 slug, ?4 por_defecto, ?5 creado_en. No row: the slug is taken.
INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (slug) DO NOTHING
