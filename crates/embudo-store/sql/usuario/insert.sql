-- Writes no row if another person has the e-mail.
INSERT INTO usuario (id, email, email_normal, nombre, clave, administrador, activo, creado_en)
VALUES (:id, :email, :email_normal, :nombre, :clave, :administrador, :activo, :now)
ON CONFLICT (email_normal) DO NOTHING
