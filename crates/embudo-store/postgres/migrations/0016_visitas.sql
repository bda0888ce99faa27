-- Visits, and when people can go on them. Same tables and columns as on SQLite.

-- `huecos` and `personas` are JSON. `vigente_hasta` is the end of an agreed visit until that has passed: the lead stands at `visita`
-- while one of its visits has it.
CREATE TABLE visita (
    lead_id uuid NOT NULL,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    estado text NOT NULL,
    revision bigint NOT NULL,
    secuencia bigint NOT NULL,
    huecos text NOT NULL,
    inicio timestamptz,
    fin timestamptz,
    minutos bigint NOT NULL,
    direccion text NOT NULL,
    personas text NOT NULL,
    notas text NOT NULL,
    medidas text NOT NULL,
    vigente_hasta timestamptz,
    creada_en timestamptz NOT NULL,
    cambiada_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
CREATE INDEX visita_id ON visita (id);
CREATE INDEX visita_calendario ON visita (empresa_id, inicio, id);
CREATE INDEX visita_estado ON visita (empresa_id, estado, cambiada_en, id);
CREATE INDEX visita_vigente ON visita (vigente_hasta) WHERE vigente_hasta IS NOT NULL;

-- Whose calendar a visit that has a time is in.
CREATE TABLE visita_persona (
    lead_id uuid NOT NULL,
    visita_id uuid NOT NULL,
    usuario_id uuid NOT NULL,
    fin timestamptz NOT NULL,
    PRIMARY KEY (lead_id, visita_id, usuario_id)
);
CREATE INDEX visita_persona_usuario ON visita_persona (usuario_id, fin);

-- A person's hours (JSON; none yet: the usual ones), and the mark of the secret that their calendar is followed by. The row is locked
-- while a visit gets into the person's calendar.
CREATE TABLE agenda (
    usuario_id uuid PRIMARY KEY,
    revision bigint NOT NULL,
    datos text,
    calendario bytea,
    calendario_en timestamptz
);
CREATE UNIQUE INDEX agenda_calendario ON agenda (calendario) WHERE calendario IS NOT NULL;

-- The start of the next agreed visit that nobody has closed.
ALTER TABLE lead_actividad ADD COLUMN visita_en timestamptz;

-- A pause of the mail holds for the new kind of mail too.
INSERT INTO pausa (empresa_id, tipo, desde, quien)
SELECT empresa_id, 'correo_visita', desde, quien FROM pausa WHERE tipo = 'correo_cliente';
