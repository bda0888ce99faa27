-- Writes no row if another company has the slug.
INSERT INTO empresa (id, nombre, slug, por_defecto, email_avisos, avisos, avisos_elegidos, creado_en)
VALUES (:id, :nombre, :slug, :por_defecto, :email_avisos, :avisos, :avisos_elegidos, :now)
ON CONFLICT (slug) DO NOTHING
