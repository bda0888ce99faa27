-- A person has one link of each kind: who asks for a new password ends no invitation.
ALTER TABLE recuperacion DROP CONSTRAINT recuperacion_usuario_id_key;
ALTER TABLE recuperacion ADD COLUMN invitacion boolean NOT NULL DEFAULT false;
-- A link by mail is good for an hour.
UPDATE recuperacion SET invitacion = expira_en - creada_en > interval '1 hour';
ALTER TABLE recuperacion ALTER COLUMN invitacion DROP DEFAULT;
ALTER TABLE recuperacion ADD UNIQUE (usuario_id, invitacion);

-- Where a key was last used from.
ALTER TABLE clave_api ADD COLUMN usada_desde text;

-- What somebody is changing in a draft is one line of the audit log, which tells what it was before: `tramo_hoja`.
ALTER TABLE borrador ADD COLUMN tramo_apunte uuid;
ALTER TABLE borrador ADD COLUMN tramo_hoja text;
