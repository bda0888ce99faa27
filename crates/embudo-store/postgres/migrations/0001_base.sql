-- Every record of the specification. Same tables and columns as on SQLite, and two columns more (estado_historia.comando,
-- evento.id), by which a write that is repeated after a doubtful commit finds that it was done.
-- `n` is the order of acceptance: drawn from a sequence, never written by hand.
-- What the bot writes has no foreign key to lead: its check, row by row, halves the speed of a grouped write. Every insert joins
-- the lead instead, so none is written for an unknown one. Whoever deletes a lead deletes it first, lets the transactions
-- that are running end, and deletes what belongs to it then.

CREATE TABLE empresa (
    id uuid PRIMARY KEY,
    nombre text NOT NULL,
    slug text NOT NULL CONSTRAINT empresa_slug UNIQUE,
    por_defecto boolean NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE UNIQUE INDEX empresa_por_defecto ON empresa (por_defecto) WHERE por_defecto;

-- Updates of the states touch no indexed column: room in the pages keeps them within one page (HOT).
CREATE TABLE lead (
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    nombre text NOT NULL,
    telefono text NOT NULL,
    telefono_e164 text NOT NULL,
    email text NOT NULL,
    email_normal text NOT NULL,
    provincia text,
    busqueda text NOT NULL,
    bot_step text,
    estado_wa text,
    canal_origen text,
    viable boolean,
    espacio text,
    rango_m2 text,
    estilo text,
    presupuesto_declarado text,
    fotos_solicitadas_at timestamptz,
    tipo_reforma text,
    m2_suelo double precision,
    calidad_global text,
    urgencia text,
    presupuesto_target_cents bigint,
    taste_text text,
    estructural boolean,
    creado_en timestamptz NOT NULL,
    actualizado_en timestamptz NOT NULL
) WITH (fillfactor = 70);
-- The list of one company and the list of all, newest first; who has this telephone or e-mail.
CREATE INDEX lead_empresa_creado ON lead (empresa_id, creado_en DESC, id DESC);
CREATE INDEX lead_creado ON lead (creado_en DESC, id DESC);
CREATE INDEX lead_telefono ON lead (telefono_e164, empresa_id);
CREATE INDEX lead_email ON lead (email_normal, empresa_id);

-- Campaign and ad ids of a lead. Names have no limit, and a B-tree has (2.7 kB): the code keeps them distinct, not a key.
CREATE TABLE utm (
    n bigint GENERATED ALWAYS AS IDENTITY,
    lead_id uuid NOT NULL REFERENCES lead (id),
    empresa_id uuid NOT NULL,
    nombre text NOT NULL,
    valor text NOT NULL
);
CREATE INDEX utm_lead ON utm (lead_id);

CREATE TABLE consentimiento (
    n bigint GENERATED ALWAYS AS IDENTITY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL REFERENCES lead (id),
    finalidad text NOT NULL,
    canal text,
    texto_version text NOT NULL,
    otorgado boolean NOT NULL,
    otorgado_en timestamptz NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE INDEX consentimiento_lead ON consentimiento (lead_id, n);

CREATE TABLE turno (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    rol text NOT NULL,
    mensaje text NOT NULL,
    media_type text,
    media_url text,
    transcripcion_audio text,
    creado_en timestamptz NOT NULL
);
CREATE INDEX turno_lead ON turno (lead_id, n);

-- Every value that estado_wa and bot_step were given. `comando` is set where no other row of the same command tells that it
-- was done already.
CREATE TABLE estado_historia (
    n bigint GENERATED ALWAYS AS IDENTITY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    campo text NOT NULL,
    valor text NOT NULL,
    creado_en timestamptz NOT NULL,
    comando uuid
);
CREATE INDEX estado_historia_lead ON estado_historia (lead_id, n);
CREATE UNIQUE INDEX estado_historia_comando ON estado_historia (comando, campo) WHERE comando IS NOT NULL;

CREATE TABLE calificacion (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    score bigint,
    nivel text,
    criterios text,
    notas_agente text,
    creado_en timestamptz NOT NULL,
    actualizado_en timestamptz NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE intento (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    canal text NOT NULL,
    numero_intento bigint NOT NULL,
    resultado text,
    completado boolean NOT NULL,
    duracion_seg bigint,
    notas text,
    metadata text,
    creado_en timestamptz NOT NULL
);
CREATE INDEX intento_lead ON intento (lead_id, n);

-- Either `url`, or `prefijo` with `bytes` (the picture's blob) and/or `crudo` (the received payload's blob).
CREATE TABLE foto (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    zona text NOT NULL,
    momento text NOT NULL,
    orden double precision NOT NULL,
    url text,
    prefijo text,
    bytes bytea,
    crudo bytea,
    creado_en timestamptz NOT NULL
);
CREATE INDEX foto_lead ON foto (lead_id, orden, n);

CREATE TABLE nota (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    texto text NOT NULL,
    zona text,
    creado_en timestamptz NOT NULL
);
CREATE INDEX nota_lead ON nota (lead_id, n);

CREATE TABLE evento (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    tipo text NOT NULL,
    simulado boolean NOT NULL,
    ok boolean NOT NULL,
    detalle text,
    creado_en timestamptz NOT NULL
);
CREATE INDEX evento_lead ON evento (lead_id, n);

-- Blobs that a sweep is deleting: an ingestion that names one waits until the mark is gone and puts it again. A lead that is
-- unknown, or no longer known, may have some.
CREATE TABLE blob_marca (
    lead_id uuid NOT NULL,
    huella bytea NOT NULL,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, huella)
);

CREATE TABLE idempotencia (
    ambito text NOT NULL,
    clave text NOT NULL,
    cuerpo_sha256 bytea NOT NULL,
    status integer,
    location text,
    cuerpo text,
    creado_en timestamptz NOT NULL,
    expira_en timestamptz NOT NULL,
    PRIMARY KEY (ambito, clave)
);
CREATE INDEX idempotencia_expira ON idempotencia (expira_en);
