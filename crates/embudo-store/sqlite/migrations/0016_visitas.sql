-- Visits, and when people can go on them. Same tables and columns as on PostgreSQL.

-- `huecos` and `personas` are JSON. `vigente_hasta` is the end of an agreed visit until that has passed: the lead stands at `visita`
-- while one of its visits has it.
CREATE TABLE visita (
    lead_id BLOB NOT NULL,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    estado TEXT NOT NULL,
    revision INTEGER NOT NULL,
    secuencia INTEGER NOT NULL,
    huecos TEXT NOT NULL,
    inicio INTEGER,
    fin INTEGER,
    minutos INTEGER NOT NULL,
    direccion TEXT NOT NULL,
    personas TEXT NOT NULL,
    notas TEXT NOT NULL,
    medidas TEXT NOT NULL,
    vigente_hasta INTEGER,
    creada_en INTEGER NOT NULL,
    cambiada_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, id)
) STRICT;
CREATE INDEX visita_id ON visita (id);
CREATE INDEX visita_calendario ON visita (empresa_id, inicio, id);
CREATE INDEX visita_estado ON visita (empresa_id, estado, cambiada_en, id);
CREATE INDEX visita_vigente ON visita (vigente_hasta) WHERE vigente_hasta IS NOT NULL;

-- Whose calendar a visit that has a time is in.
CREATE TABLE visita_persona (
    lead_id BLOB NOT NULL,
    visita_id BLOB NOT NULL,
    usuario_id BLOB NOT NULL,
    fin INTEGER NOT NULL,
    PRIMARY KEY (lead_id, visita_id, usuario_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX visita_persona_usuario ON visita_persona (usuario_id, fin);

-- A person's hours (JSON; none yet: the usual ones), and the mark of the secret that their calendar is followed by. The row is locked
-- while a visit gets into the person's calendar.
CREATE TABLE agenda (
    usuario_id BLOB PRIMARY KEY,
    revision INTEGER NOT NULL,
    datos TEXT,
    calendario BLOB,
    calendario_en INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX agenda_calendario ON agenda (calendario) WHERE calendario IS NOT NULL;

-- The start of the next agreed visit that nobody has closed.
ALTER TABLE lead_actividad ADD COLUMN visita_en INTEGER;

-- A pause of the mail holds for the new kind of mail too.
INSERT INTO pausa (empresa_id, tipo, desde, quien)
SELECT empresa_id, 'correo_visita', desde, quien FROM pausa WHERE tipo = 'correo_cliente';
