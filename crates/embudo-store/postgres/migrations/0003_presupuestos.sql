-- Quotes, what clients say of them, price tables, brands, what was made of photos, and secrets of our own. Same tables and
-- columns as on SQLite.

-- The last number that a company gave in a year. The row is also the lock under which numbers are given: it is held until the
-- commit and goes back with a rollback, so that numbers have no gaps. It is not the maximum of the quotes, because the number of
-- a quote that is erased with its lead is never given again.
CREATE TABLE presupuesto_serie (
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    anio integer NOT NULL,
    ultimo bigint NOT NULL,
    PRIMARY KEY (empresa_id, anio)
) WITH (fillfactor = 50);

-- `contenido` is the mark of `documento`; `pdf_*` are filled together, once the PDF is drawn.
CREATE TABLE presupuesto (
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    anio integer NOT NULL,
    orden bigint NOT NULL,
    version bigint NOT NULL,
    estado text NOT NULL,
    contenido bytea NOT NULL,
    total_cents bigint NOT NULL,
    emitido date NOT NULL,
    hasta date NOT NULL,
    pdf_huella bytea,
    pdf_sha256 bytea,
    pdf_bytes bigint,
    creado_en timestamptz NOT NULL,
    enviado_en timestamptz,
    documento text NOT NULL,
    CONSTRAINT presupuesto_numero UNIQUE (empresa_id, anio, orden),
    CONSTRAINT presupuesto_version UNIQUE (lead_id, version)
);

-- Every answer of a client, appended and never edited; `n` is their order, and the quote shows the last.
CREATE TABLE presupuesto_respuesta (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    presupuesto_id uuid NOT NULL,
    aceptado boolean NOT NULL,
    motivo text,
    ip text,
    texto_version text NOT NULL,
    pdf_sha256 bytea NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE INDEX presupuesto_respuesta_presupuesto ON presupuesto_respuesta (presupuesto_id, n);

-- `n` is the order of loading. A version has at most 32 characters.
CREATE TABLE tarifa (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    version text NOT NULL,
    desde date NOT NULL,
    texto text NOT NULL,
    creado_en timestamptz NOT NULL,
    CONSTRAINT tarifa_version UNIQUE (empresa_id, version)
);
CREATE INDEX tarifa_desde ON tarifa (empresa_id, desde, creado_en, n);

-- `datos` is JSON, absent while only a logo is known; `logo_huella` is the mark of `logo`, known without reading it.
CREATE TABLE marca (
    empresa_id uuid PRIMARY KEY REFERENCES empresa (id),
    datos text,
    logo_huella bytea,
    logo bytea
);

-- What was made of a photo: either `impresion`, `ancho`, `alto` and `miniatura`, or `motivo`.
CREATE TABLE rendicion (
    lead_id uuid NOT NULL,
    foto_id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    copia bytea,
    impresion bytea,
    ancho bigint,
    alto bigint,
    miniatura bytea,
    motivo text,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, foto_id)
);

CREATE TABLE secreto (
    nombre text PRIMARY KEY,
    valor bytea NOT NULL
);

-- Where a consent was given or withdrawn.
ALTER TABLE consentimiento ADD COLUMN fuente text;
