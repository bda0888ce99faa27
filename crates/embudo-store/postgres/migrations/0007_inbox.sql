-- What the panel's inbox stands on. Same tables and columns as on SQLite; there the trigrams stand in a table of their own.

-- How far a lead has come: written with whatever changes it, only when it changes. Every lead has a row from its creation on, so the
-- narrow row also tells what a chat turn must know of its lead.
CREATE TABLE lead_etapa (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    etapa text NOT NULL,
    desde timestamptz NOT NULL
);

-- What people decide about a lead.
CREATE TABLE lead_gestion (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    asignado_id uuid,
    archivado_en timestamptz,
    archivado_por uuid,
    archivado_motivo text,
    reabierto_en timestamptz,
    accion_en timestamptz,
    accion_texto text,
    accion_por uuid
);
CREATE INDEX lead_gestion_asignado ON lead_gestion (asignado_id, empresa_id) WHERE asignado_id IS NOT NULL;

-- Never shown to the client.
CREATE TABLE nota_interna (
    n bigint GENERATED ALWAYS AS IDENTITY,
    lead_id uuid NOT NULL,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    autor_id uuid NOT NULL,
    texto text NOT NULL,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);

-- When a person last saw a lead.
CREATE TABLE lead_leido (
    lead_id uuid NOT NULL,
    usuario_id uuid NOT NULL,
    visto_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, usuario_id)
);
-- What few leads a person has seen is found by the person: the planner would read the table for it.
CREATE INDEX lead_leido_usuario ON lead_leido (usuario_id, lead_id);

-- A lead that is the same person as another one, which stands for both. Nothing else is moved.
CREATE TABLE lead_union (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    unido_por uuid NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE INDEX lead_union_principal ON lead_union (principal_id);

-- Projected: the facts that the next action is derived from, and the action. Without one `accion_en` is the end of time, so that the
-- list has one order.
CREATE TABLE lead_actividad (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    actividad_en timestamptz NOT NULL,
    usuario_en timestamptz,
    turno_en timestamptz,
    turno_rol text,
    llamada_en timestamptz,
    emitido_en timestamptz,
    limite_en timestamptz,
    mano_en timestamptz,
    cerrado boolean NOT NULL,
    viable boolean,
    accion text,
    accion_en timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX lead_actividad_accion ON lead_actividad (empresa_id, accion_en, lead_id);
CREATE INDEX lead_actividad_reciente ON lead_actividad (empresa_id, actividad_en DESC, lead_id DESC);

-- Projected: what a lead is found by. Its trigrams are indexed where the server has pg_trgm, which is seen to at every start.
CREATE TABLE lead_busqueda (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    texto text NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE INDEX lead_busqueda_creado ON lead_busqueda (empresa_id, creado_en DESC, lead_id DESC);

-- How far the projector has read each table: everything up to `hasta`, and at `visto_en` there was `visto`.
CREATE TABLE proyeccion (
    nombre text PRIMARY KEY,
    hasta bigint NOT NULL,
    visto bigint NOT NULL,
    visto_en timestamptz NOT NULL
);

-- What was appended last. Rows come in this order, so a summary of each range of pages is enough, and costs a write nothing.
CREATE INDEX turno_n ON turno USING brin (n) WITH (pages_per_range = 32);
CREATE INDEX intento_n ON intento USING brin (n) WITH (pages_per_range = 32);
CREATE INDEX evento_n ON evento USING brin (n) WITH (pages_per_range = 32);
CREATE INDEX nota_n ON nota USING brin (n) WITH (pages_per_range = 32);
CREATE INDEX nota_interna_n ON nota_interna USING brin (n) WITH (pages_per_range = 32);
CREATE INDEX foto_n ON foto USING brin (n) WITH (pages_per_range = 32);

INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde)
SELECT l.id, l.empresa_id,
    CASE
        WHEN EXISTS (SELECT FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = 'aceptado') THEN 'aceptado'
        WHEN EXISTS (SELECT FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = 'rechazado') THEN 'perdido'
        WHEN EXISTS (SELECT FROM presupuesto p WHERE p.lead_id = l.id AND p.estado = 'emitido') THEN 'presupuesto_enviado'
        WHEN l.bucle_paso = 'esperando_renders' THEN 'esperando_renders'
        WHEN EXISTS (SELECT FROM evento e WHERE e.lead_id = l.id AND e.tipo = 'perfil_completo') THEN 'perfil_completo'
        WHEN EXISTS (SELECT FROM turno t WHERE t.lead_id = l.id) THEN 'en_conversacion'
        ELSE 'nuevo'
    END,
    l.actualizado_en
FROM lead l;
CREATE INDEX lead_etapa_tablero ON lead_etapa (empresa_id, etapa);
