-- Quotes, what clients say of them, price tables, brands, what was made of photos, and secrets of our own.
-- Same tables and columns as on PostgreSQL. Days are texts (2026-01-31), which sort as they follow each other.

-- The last number that a company gave in a year. A row of its own rather than the maximum of the quotes: the number of a quote
-- that is erased with its lead is never given again.
CREATE TABLE presupuesto_serie (
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    anio INTEGER NOT NULL,
    ultimo INTEGER NOT NULL,
    PRIMARY KEY (empresa_id, anio)
) STRICT, WITHOUT ROWID;

-- `contenido` is the mark of `documento`; `pdf_*` are filled together, once the PDF is drawn.
CREATE TABLE presupuesto (
    id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    anio INTEGER NOT NULL,
    orden INTEGER NOT NULL,
    version INTEGER NOT NULL,
    estado TEXT NOT NULL,
    contenido BLOB NOT NULL,
    total_cents INTEGER NOT NULL,
    emitido TEXT NOT NULL,
    hasta TEXT NOT NULL,
    pdf_huella BLOB,
    pdf_sha256 BLOB,
    pdf_bytes INTEGER,
    creado_en INTEGER NOT NULL,
    enviado_en INTEGER,
    documento TEXT NOT NULL,
    UNIQUE (empresa_id, anio, orden),
    UNIQUE (lead_id, version)
) STRICT;

-- Every answer of a client, appended and never edited; `n` is their order, and the quote shows the last.
CREATE TABLE presupuesto_respuesta (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    presupuesto_id BLOB NOT NULL,
    aceptado INTEGER NOT NULL,
    motivo TEXT,
    ip TEXT,
    texto_version TEXT NOT NULL,
    pdf_sha256 BLOB NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX presupuesto_respuesta_presupuesto ON presupuesto_respuesta (presupuesto_id);

-- `n` is the order of loading.
CREATE TABLE tarifa (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    version TEXT NOT NULL,
    desde TEXT NOT NULL,
    texto TEXT NOT NULL,
    creado_en INTEGER NOT NULL,
    UNIQUE (empresa_id, version)
) STRICT;
CREATE INDEX tarifa_desde ON tarifa (empresa_id, desde, creado_en, n);

-- `datos` is JSON, absent while only a logo is known; `logo_huella` is the mark of `logo`, known without reading it.
CREATE TABLE marca (
    empresa_id BLOB PRIMARY KEY REFERENCES empresa (id),
    datos TEXT,
    logo_huella BLOB,
    logo BLOB
) STRICT;

-- What was made of a photo: either `impresion`, `ancho`, `alto` and `miniatura`, or `motivo`.
CREATE TABLE rendicion (
    lead_id BLOB NOT NULL,
    foto_id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    copia BLOB,
    impresion BLOB,
    ancho INTEGER,
    alto INTEGER,
    miniatura BLOB,
    motivo TEXT,
    creado_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, foto_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE secreto (
    nombre TEXT PRIMARY KEY,
    valor BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Where a consent was given or withdrawn.
ALTER TABLE consentimiento ADD COLUMN fuente TEXT;
