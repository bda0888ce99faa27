-- A person has one link of each kind: who asks for a new password ends no invitation.
CREATE TABLE recuperacion_nueva (
    huella BLOB PRIMARY KEY,
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    invitacion INTEGER NOT NULL,
    creada_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL,
    UNIQUE (usuario_id, invitacion)
) STRICT, WITHOUT ROWID;
-- A link by mail is good for an hour.
INSERT INTO recuperacion_nueva (huella, usuario_id, invitacion, creada_en, expira_en)
SELECT huella, usuario_id, expira_en - creada_en > 3600000000, creada_en, expira_en FROM recuperacion;
DROP TABLE recuperacion;
ALTER TABLE recuperacion_nueva RENAME TO recuperacion;
CREATE INDEX recuperacion_expira ON recuperacion (expira_en);

-- Where a key was last used from.
ALTER TABLE clave_api ADD COLUMN usada_desde TEXT;

-- What somebody is changing in a draft is one line of the audit log, which tells what it was before: `tramo_hoja`.
ALTER TABLE borrador ADD COLUMN tramo_apunte BLOB;
ALTER TABLE borrador ADD COLUMN tramo_hoja TEXT;
