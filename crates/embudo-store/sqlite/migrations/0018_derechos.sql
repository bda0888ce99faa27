-- What people may ask for of their data. Same tables and columns as on PostgreSQL.

-- Leads that were erased, and until `terminado_en` those whose erasure has to be gone on with. Nothing here tells who it was.
CREATE TABLE borrado (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    motivo TEXT NOT NULL,
    quien TEXT NOT NULL,
    pedido_en INTEGER NOT NULL,
    terminado_en INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX borrado_abierto ON borrado (pedido_en) WHERE terminado_en IS NULL;
CREATE INDEX borrado_empresa ON borrado (empresa_id, pedido_en, lead_id);

-- Accepted quotes of erased leads, as they were, for the administrator alone until the legal term is over.
CREATE TABLE presupuesto_bloqueado (
    lead_id BLOB NOT NULL,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    anio INTEGER NOT NULL,
    orden INTEGER NOT NULL,
    version INTEGER NOT NULL,
    contenido BLOB NOT NULL,
    total_cents INTEGER NOT NULL,
    emitido TEXT NOT NULL,
    hasta TEXT NOT NULL,
    pdf_huella BLOB,
    pdf_sha256 BLOB,
    pdf_bytes INTEGER,
    creado_en INTEGER NOT NULL,
    emitido_en INTEGER,
    documento TEXT NOT NULL,
    bloqueado_en INTEGER NOT NULL,
    bloqueado_hasta INTEGER NOT NULL,
    PRIMARY KEY (lead_id, id)
) STRICT;
CREATE INDEX presupuesto_bloqueado_id ON presupuesto_bloqueado (id);
CREATE INDEX presupuesto_bloqueado_empresa ON presupuesto_bloqueado (empresa_id, anio, orden);
CREATE INDEX presupuesto_bloqueado_hasta ON presupuesto_bloqueado (bloqueado_hasta);

-- What the client answered to them.
CREATE TABLE respuesta_bloqueada (
    lead_id BLOB NOT NULL,
    presupuesto_id BLOB NOT NULL,
    n INTEGER NOT NULL,
    aceptado INTEGER NOT NULL,
    motivo TEXT,
    ip TEXT,
    texto_version TEXT NOT NULL,
    declaracion TEXT,
    opciones TEXT,
    total_cents INTEGER,
    inicio_anticipado TEXT,
    pdf_sha256 BLOB NOT NULL,
    creado_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, presupuesto_id, n)
) STRICT, WITHOUT ROWID;

-- Who saw a lead, and on which day.
CREATE TABLE lead_visto (
    lead_id BLOB NOT NULL,
    dia TEXT NOT NULL,
    usuario_id BLOB NOT NULL,
    primero_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, dia, usuario_id)
) STRICT, WITHOUT ROWID;

-- Links that clients hold and that were revoked: only passes of this generation open the thing. One that never was revoked has no row.
CREATE TABLE pase_generacion (
    lead_id BLOB NOT NULL,
    cosa_id BLOB NOT NULL,
    generacion INTEGER NOT NULL,
    revocado_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, cosa_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pase_generacion_cosa ON pase_generacion (cosa_id);

-- Since when a person waits for an answer about their data.
ALTER TABLE lead_actividad ADD COLUMN derecho_en INTEGER;
