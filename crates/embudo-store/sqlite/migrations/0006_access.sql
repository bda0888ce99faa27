-- Who may sign in, and what they did. Same tables and columns as on PostgreSQL.

-- The password is an Argon2id hash; whoever was invited and has not chosen one has none.
CREATE TABLE usuario (
    id BLOB PRIMARY KEY,
    email TEXT NOT NULL,
    email_normal TEXT NOT NULL UNIQUE,
    nombre TEXT NOT NULL,
    clave TEXT,
    administrador INTEGER NOT NULL,
    activo INTEGER NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;

CREATE TABLE pertenencia (
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    rol TEXT NOT NULL,
    PRIMARY KEY (usuario_id, empresa_id)
) STRICT, WITHOUT ROWID;

-- The secret of the second factor; no code of a period up to `ultimo_paso` counts any more.
CREATE TABLE totp (
    usuario_id BLOB PRIMARY KEY REFERENCES usuario (id),
    secreto BLOB NOT NULL,
    ultimo_paso INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE totp_codigo (
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    huella BLOB NOT NULL,
    PRIMARY KEY (usuario_id, huella)
) STRICT, WITHOUT ROWID;

-- `huella` is that of the token in the cookie. `propio`: a device of the person's own; `a_medias`: the second factor is still to come.
CREATE TABLE sesion (
    id BLOB PRIMARY KEY,
    huella BLOB NOT NULL UNIQUE,
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    empresa_id BLOB REFERENCES empresa (id),
    propio INTEGER NOT NULL,
    a_medias INTEGER NOT NULL,
    agente TEXT NOT NULL,
    ip TEXT,
    creada_en INTEGER NOT NULL,
    usada_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL
) STRICT;
CREATE INDEX sesion_usuario ON sesion (usuario_id);
CREATE INDEX sesion_expira ON sesion (expira_en);

-- Links to choose a password with, of which a person has one.
CREATE TABLE recuperacion (
    huella BLOB PRIMARY KEY,
    usuario_id BLOB NOT NULL UNIQUE REFERENCES usuario (id),
    creada_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX recuperacion_expira ON recuperacion (expira_en);

-- Appended to, never changed. `quien` is what the person was called then.
CREATE TABLE auditoria (
    id BLOB PRIMARY KEY,
    en INTEGER NOT NULL,
    usuario_id BLOB,
    quien TEXT NOT NULL,
    empresa_id BLOB,
    accion TEXT NOT NULL,
    objeto TEXT,
    ip TEXT,
    antes TEXT,
    despues TEXT
) STRICT;
CREATE INDEX auditoria_en ON auditoria (en, id);
CREATE INDEX auditoria_usuario ON auditoria (usuario_id, en, id);
CREATE INDEX auditoria_empresa ON auditoria (empresa_id, en, id);
