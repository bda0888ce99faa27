INSERT INTO empresa (id, nombre, slug, por_defecto, email_avisos, avisos, creado_en)
VALUES (:id, :nombre, :slug, :por_defecto, :email_avisos, :avisos, :now)
