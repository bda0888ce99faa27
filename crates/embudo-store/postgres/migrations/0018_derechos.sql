-- What people may ask for of their data. Same tables and columns as on SQLite.

-- Leads that were erased, and until `terminado_en` those whose erasure has to be gone on with. Nothing here tells who it was.
CREATE TABLE borrado (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    motivo text NOT NULL,
    quien text NOT NULL,
    pedido_en timestamptz NOT NULL,
    terminado_en timestamptz
);
CREATE INDEX borrado_abierto ON borrado (pedido_en) WHERE terminado_en IS NULL;
CREATE INDEX borrado_empresa ON borrado (empresa_id, pedido_en, lead_id);

-- Accepted quotes of erased leads, as they were, for the administrator alone until the legal term is over.
CREATE TABLE presupuesto_bloqueado (
    lead_id uuid NOT NULL,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    anio bigint NOT NULL,
    orden bigint NOT NULL,
    version bigint NOT NULL,
    contenido bytea NOT NULL,
    total_cents bigint NOT NULL,
    emitido date NOT NULL,
    hasta date NOT NULL,
    pdf_huella bytea,
    pdf_sha256 bytea,
    pdf_bytes bigint,
    creado_en timestamptz NOT NULL,
    emitido_en timestamptz,
    documento text NOT NULL,
    bloqueado_en timestamptz NOT NULL,
    bloqueado_hasta timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
CREATE INDEX presupuesto_bloqueado_id ON presupuesto_bloqueado (id);
CREATE INDEX presupuesto_bloqueado_empresa ON presupuesto_bloqueado (empresa_id, anio, orden);
CREATE INDEX presupuesto_bloqueado_hasta ON presupuesto_bloqueado (bloqueado_hasta);

-- What the client answered to them.
CREATE TABLE respuesta_bloqueada (
    lead_id uuid NOT NULL,
    presupuesto_id uuid NOT NULL,
    n bigint NOT NULL,
    aceptado boolean NOT NULL,
    motivo text,
    ip text,
    texto_version text NOT NULL,
    declaracion text,
    opciones text,
    total_cents bigint,
    inicio_anticipado text,
    pdf_sha256 bytea NOT NULL,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, presupuesto_id, n)
);

-- Who saw a lead, and on which day.
CREATE TABLE lead_visto (
    lead_id uuid NOT NULL,
    dia date NOT NULL,
    usuario_id uuid NOT NULL,
    primero_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, dia, usuario_id)
);

-- Links that clients hold and that were revoked: only passes of this generation open the thing. One that never was revoked has no row.
CREATE TABLE pase_generacion (
    lead_id uuid NOT NULL,
    cosa_id uuid NOT NULL,
    generacion bigint NOT NULL,
    revocado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, cosa_id)
);
CREATE INDEX pase_generacion_cosa ON pase_generacion (cosa_id);

-- Since when a person waits for an answer about their data.
ALTER TABLE lead_actividad ADD COLUMN derecho_en timestamptz;
