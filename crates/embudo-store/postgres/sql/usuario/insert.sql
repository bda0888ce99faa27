-- No row: the e-mail is taken.
INSERT INTO usuario (id, email, email_normal, nombre, clave, administrador, activo, creado_en)
VALUES (:id::uuid, :email::text, :email_normal::text, :nombre::text, :clave::text, :administrador::boolean, :activo::boolean, :now::timestamptz)
ON CONFLICT (email_normal) DO NOTHING
