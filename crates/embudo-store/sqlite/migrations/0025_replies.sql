-- What people of the company write to clients. A reply that is sent has a job of the same id; `trabajo_estado` is how that ended, once
-- it is forgotten. `confirmado_en`: the workflow recorded it as the turn `turno_id`, or a person says that they sent it.
CREATE TABLE mensaje (
    n INTEGER PRIMARY KEY,
    lead_id BLOB NOT NULL,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    canal TEXT NOT NULL,
    texto TEXT NOT NULL,
    autor_id BLOB NOT NULL,
    autor TEXT NOT NULL,
    creado_en INTEGER NOT NULL,
    caduca INTEGER,
    confirmado_en INTEGER,
    turno_id BLOB,
    trabajo_estado TEXT,
    UNIQUE (lead_id, id)
) STRICT;
-- The reply of a job.
CREATE INDEX mensaje_id ON mensaje (id);
-- Messaging replies that nobody recorded, by when they are over.
CREATE INDEX mensaje_caduca ON mensaje (caduca) WHERE caduca IS NOT NULL AND confirmado_en IS NULL AND trabajo_estado IS NULL;

-- Who answers a lead in the place of the bot, since when, and when they last wrote.
CREATE TABLE atencion (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    usuario_id BLOB NOT NULL,
    desde INTEGER NOT NULL,
    ultimo_en INTEGER NOT NULL
) STRICT;
