-- Every record of the contract. Times are microseconds since 1970, UTC. Same tables and columns as on PostgreSQL.
-- What belongs to a lead names it without a foreign key: every insert reads the lead anyway, and checking twice costs on the hot path.

CREATE TABLE empresa (
    id BLOB PRIMARY KEY,
    nombre TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE,
    por_defecto INTEGER NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX empresa_por_defecto ON empresa (por_defecto) WHERE por_defecto = 1;

CREATE TABLE lead (
    id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    nombre TEXT NOT NULL,
    telefono TEXT NOT NULL,
    telefono_e164 TEXT NOT NULL,
    email TEXT NOT NULL,
    email_normal TEXT NOT NULL,
    provincia TEXT,
    busqueda TEXT NOT NULL,
    bot_step TEXT,
    estado_wa TEXT,
    canal_origen TEXT,
    viable INTEGER,
    espacio TEXT,
    rango_m2 TEXT,
    estilo TEXT,
    presupuesto_declarado TEXT,
    fotos_solicitadas_at INTEGER,
    tipo_reforma TEXT,
    m2_suelo REAL,
    calidad_global TEXT,
    urgencia TEXT,
    presupuesto_target_cents INTEGER,
    taste_text TEXT,
    estructural INTEGER,
    creado_en INTEGER NOT NULL,
    actualizado_en INTEGER NOT NULL
) STRICT;
-- The list of one company and the list of all, newest first; who has this telephone or e-mail.
CREATE INDEX lead_empresa_creado ON lead (empresa_id, creado_en DESC, id DESC);
CREATE INDEX lead_creado ON lead (creado_en DESC, id DESC);
CREATE INDEX lead_telefono ON lead (telefono_e164, empresa_id);
CREATE INDEX lead_email ON lead (email_normal, empresa_id);

-- Campaign and ad ids of a lead.
CREATE TABLE utm (
    lead_id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    nombre TEXT NOT NULL,
    valor TEXT NOT NULL,
    PRIMARY KEY (lead_id, nombre)
) STRICT, WITHOUT ROWID;

CREATE TABLE consentimiento (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    finalidad TEXT NOT NULL,
    canal TEXT,
    texto_version TEXT NOT NULL,
    otorgado INTEGER NOT NULL,
    otorgado_en INTEGER NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX consentimiento_lead ON consentimiento (lead_id);

-- `n` is the order of acceptance.
CREATE TABLE turno (
    n INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    rol TEXT NOT NULL,
    mensaje TEXT NOT NULL,
    media_type TEXT,
    media_url TEXT,
    transcripcion_audio TEXT,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX turno_lead ON turno (lead_id);

-- Every value that estado_wa and bot_step were given.
CREATE TABLE estado_historia (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    campo TEXT NOT NULL,
    valor TEXT NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX estado_historia_lead ON estado_historia (lead_id);

CREATE TABLE calificacion (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    score INTEGER,
    nivel TEXT,
    criterios TEXT,
    notas_agente TEXT,
    creado_en INTEGER NOT NULL,
    actualizado_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE intento (
    n INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    canal TEXT NOT NULL,
    numero_intento INTEGER NOT NULL,
    resultado TEXT,
    completado INTEGER NOT NULL,
    duracion_seg INTEGER,
    notas TEXT,
    metadata TEXT,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX intento_lead ON intento (lead_id);

-- Either `url`, or `prefijo` with `bytes` (the picture's blob) and/or `crudo` (the received payload's blob).
CREATE TABLE foto (
    n INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    zona TEXT NOT NULL,
    momento TEXT NOT NULL,
    orden REAL NOT NULL,
    url TEXT,
    prefijo TEXT,
    bytes BLOB,
    crudo BLOB,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX foto_lead ON foto (lead_id, orden);

CREATE TABLE nota (
    n INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    texto TEXT NOT NULL,
    zona TEXT,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX nota_lead ON nota (lead_id);

CREATE TABLE evento (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    tipo TEXT NOT NULL,
    simulado INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    detalle TEXT,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX evento_lead ON evento (lead_id);

-- Blobs that a sweep is deleting: an ingestion that names one waits until the mark is gone and puts it again.
CREATE TABLE blob_marca (
    lead_id BLOB NOT NULL,
    huella BLOB NOT NULL,
    creado_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, huella)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotencia (
    ambito TEXT NOT NULL,
    clave TEXT NOT NULL,
    cuerpo_sha256 BLOB NOT NULL,
    status INTEGER,
    location TEXT,
    cuerpo TEXT,
    creado_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL,
    PRIMARY KEY (ambito, clave)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotencia_expira ON idempotencia (expira_en);
