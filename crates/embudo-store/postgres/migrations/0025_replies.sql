-- What people of the company write to clients. A reply that is sent has a job of the same id; `trabajo_estado` is how that ended, once
-- it is forgotten. `confirmado_en`: the workflow recorded it as the turn `turno_id`, or a person says that they sent it.
CREATE TABLE mensaje (
    n bigint GENERATED ALWAYS AS IDENTITY,
    lead_id uuid NOT NULL,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    canal text NOT NULL,
    texto text NOT NULL,
    autor_id uuid NOT NULL,
    autor text NOT NULL,
    creado_en timestamptz NOT NULL,
    caduca timestamptz,
    confirmado_en timestamptz,
    turno_id uuid,
    trabajo_estado text,
    PRIMARY KEY (lead_id, id)
);
-- The reply of a job.
CREATE INDEX mensaje_id ON mensaje (id);
CREATE INDEX mensaje_n ON mensaje USING brin (n) WITH (pages_per_range = 32);
-- Messaging replies that nobody recorded, by when they are over.
CREATE INDEX mensaje_caduca ON mensaje (caduca) WHERE caduca IS NOT NULL AND confirmado_en IS NULL AND trabajo_estado IS NULL;

-- Who answers a lead in the place of the bot, since when, and when they last wrote.
CREATE TABLE atencion (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    usuario_id uuid NOT NULL,
    desde timestamptz NOT NULL,
    ultimo_en timestamptz NOT NULL
);
