-- What the panel's inbox stands on. Same tables and columns as on PostgreSQL, and the trigrams of `lead_busqueda`.

-- How far a lead has come: written with whatever changes it, only when it changes. Every lead has a row from its creation on, so the
-- narrow row also tells what a chat turn must know of its lead.
CREATE TABLE lead_etapa (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    etapa TEXT NOT NULL,
    desde INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What people decide about a lead.
CREATE TABLE lead_gestion (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    asignado_id BLOB,
    archivado_en INTEGER,
    archivado_por BLOB,
    archivado_motivo TEXT,
    reabierto_en INTEGER,
    accion_en INTEGER,
    accion_texto TEXT,
    accion_por BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_gestion_asignado ON lead_gestion (asignado_id, empresa_id) WHERE asignado_id IS NOT NULL;

-- Never shown to the client.
CREATE TABLE nota_interna (
    n INTEGER PRIMARY KEY,
    lead_id BLOB NOT NULL,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    autor_id BLOB NOT NULL,
    texto TEXT NOT NULL,
    creado_en INTEGER NOT NULL,
    UNIQUE (lead_id, id)
) STRICT;

-- When a person last saw a lead.
CREATE TABLE lead_leido (
    lead_id BLOB NOT NULL,
    usuario_id BLOB NOT NULL,
    visto_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, usuario_id)
) STRICT, WITHOUT ROWID;

-- A lead that is the same person as another one, which stands for both. Nothing else is moved.
CREATE TABLE lead_union (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    principal_id BLOB NOT NULL,
    unido_por BLOB NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_union_principal ON lead_union (principal_id);

-- Projected: the facts that the next action is derived from, and the action. Without one `accion_en` is the end of time, so that the
-- list has one order.
CREATE TABLE lead_actividad (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    actividad_en INTEGER NOT NULL,
    usuario_en INTEGER,
    turno_en INTEGER,
    turno_rol TEXT,
    llamada_en INTEGER,
    emitido_en INTEGER,
    limite_en INTEGER,
    mano_en INTEGER,
    cerrado INTEGER NOT NULL,
    viable INTEGER,
    accion TEXT,
    accion_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_actividad_accion ON lead_actividad (empresa_id, accion_en, lead_id);
CREATE INDEX lead_actividad_reciente ON lead_actividad (empresa_id, actividad_en DESC, lead_id DESC);

-- Projected: what a lead is found by.
CREATE TABLE lead_busqueda (
    n INTEGER PRIMARY KEY,
    lead_id BLOB NOT NULL UNIQUE,
    empresa_id BLOB NOT NULL,
    texto TEXT NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX lead_busqueda_creado ON lead_busqueda (empresa_id, creado_en DESC, lead_id DESC);
-- The trigrams of `texto`, by its `n`; a text is taken out before it changes, and leaves nothing behind.
CREATE VIRTUAL TABLE lead_trigrama USING fts5 (
    texto, content = 'lead_busqueda', content_rowid = 'n', tokenize = 'trigram case_sensitive 1'
);
INSERT INTO lead_trigrama (lead_trigrama, rank) VALUES ('secure-delete', 1);

-- How far the projector has read each table: everything up to `hasta`, and at `visto_en` there was `visto`.
CREATE TABLE proyeccion (
    nombre TEXT PRIMARY KEY,
    hasta INTEGER NOT NULL,
    visto INTEGER NOT NULL,
    visto_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde)
SELECT l.id, l.empresa_id,
    CASE
        WHEN EXISTS (SELECT 1 FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = 'aceptado') THEN 'aceptado'
        WHEN EXISTS (SELECT 1 FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = 'rechazado') THEN 'perdido'
        WHEN EXISTS (SELECT 1 FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = 'emitido') THEN 'presupuesto_enviado'
        WHEN l.bucle_paso = 'esperando_renders' THEN 'esperando_renders'
        WHEN EXISTS (SELECT 1 FROM evento e WHERE e.lead_id = l.id AND e.tipo = 'perfil_completo') THEN 'perfil_completo'
        WHEN EXISTS (SELECT 1 FROM turno t WHERE t.lead_id = l.id) THEN 'en_conversacion'
        ELSE 'nuevo'
    END,
    l.actualizado_en
FROM lead l;
CREATE INDEX lead_etapa_tablero ON lead_etapa (empresa_id, etapa);
