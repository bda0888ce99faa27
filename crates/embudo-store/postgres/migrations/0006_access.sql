-- Who may sign in, and what they did. Same tables and columns as on SQLite.

-- The password is an Argon2id hash; whoever was invited and has not chosen one has none.
CREATE TABLE usuario (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    email_normal text NOT NULL UNIQUE,
    nombre text NOT NULL,
    clave text,
    administrador boolean NOT NULL,
    activo boolean NOT NULL,
    creado_en timestamptz NOT NULL
);

CREATE TABLE pertenencia (
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    rol text NOT NULL,
    PRIMARY KEY (usuario_id, empresa_id)
);

-- The secret of the second factor; no code of a period up to `ultimo_paso` counts any more.
CREATE TABLE totp (
    usuario_id uuid PRIMARY KEY REFERENCES usuario (id),
    secreto bytea NOT NULL,
    ultimo_paso bigint NOT NULL
);

CREATE TABLE totp_codigo (
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    huella bytea NOT NULL,
    PRIMARY KEY (usuario_id, huella)
);

-- `huella` is that of the token in the cookie. `propio`: a device of the person's own; `a_medias`: the second factor is still to come.
CREATE TABLE sesion (
    id uuid PRIMARY KEY,
    huella bytea NOT NULL UNIQUE,
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    empresa_id uuid REFERENCES empresa (id),
    propio boolean NOT NULL,
    a_medias boolean NOT NULL,
    agente text NOT NULL,
    ip text,
    creada_en timestamptz NOT NULL,
    usada_en timestamptz NOT NULL,
    expira_en timestamptz NOT NULL
);
CREATE INDEX sesion_usuario ON sesion (usuario_id);
CREATE INDEX sesion_expira ON sesion (expira_en);

-- Links to choose a password with, of which a person has one.
CREATE TABLE recuperacion (
    huella bytea PRIMARY KEY,
    usuario_id uuid NOT NULL UNIQUE REFERENCES usuario (id),
    creada_en timestamptz NOT NULL,
    expira_en timestamptz NOT NULL
);
CREATE INDEX recuperacion_expira ON recuperacion (expira_en);

-- Appended to, never changed. `quien` is what the person was called then.
CREATE TABLE auditoria (
    id uuid PRIMARY KEY,
    en timestamptz NOT NULL,
    usuario_id uuid,
    quien text NOT NULL,
    empresa_id uuid,
    accion text NOT NULL,
    objeto text,
    ip text,
    antes text,
    despues text
);
CREATE INDEX auditoria_en ON auditoria (en, id);
CREATE INDEX auditoria_usuario ON auditoria (usuario_id, en, id);
CREATE INDEX auditoria_empresa ON auditoria (empresa_id, en, id);
