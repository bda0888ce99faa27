-- No row: the e-mail is taken.
INSERT INTO usuario (id, email, email_normal, nombre, clave, administrador, activo, creado_en)
VALUES ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::boolean, $7::boolean, $8::timestamptz)
ON CONFLICT (email_normal) DO NOTHING
