-- The tables of Embudo, by subject. Same tables and columns as on SQLite, and some columns more (estado_historia.comando, evento.id,
-- trabajo.n), by which a write that is repeated after a doubtful commit finds that it was done, and jobs have an order.
-- `n` is the order of acceptance: drawn from a sequence, never written by hand.
-- What belongs to a lead has the lead first in its keys, and no foreign key to it (ADR 16): the check, row by row, halves the speed of a
-- grouped write. Every insert joins the lead instead, so none is written for an unknown one. An erasure deletes the
-- lead first, waits until the running transactions end, and then deletes what belongs to it.


-- ## Companies

CREATE TABLE empresa (
    id uuid PRIMARY KEY,
    nombre text NOT NULL,
    slug text NOT NULL CONSTRAINT empresa_slug UNIQUE,
    por_defecto boolean NOT NULL,
    creado_en timestamptz NOT NULL,
    email_avisos text,
    avisos boolean NOT NULL DEFAULT true,
    -- What the company's own address gets, and what somebody in it wants in their own mail: words with spaces between them.
    avisos_elegidos text NOT NULL DEFAULT 'leads perfiles respuestas problemas',
    avisos_personas text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX empresa_por_defecto ON empresa (por_defecto) WHERE por_defecto;

-- How a company wants to work (`datos` is JSON).
CREATE TABLE ajustes (
    empresa_id uuid PRIMARY KEY,
    datos text NOT NULL,
    -- The signals that have a receiver of the company's own: workers need not read all settings.
    conecta text NOT NULL DEFAULT ''
);

-- `datos` is JSON, absent while only a logo is known; `logo_huella` is the mark of `logo`, known without reading it.
CREATE TABLE marca (
    empresa_id uuid PRIMARY KEY REFERENCES empresa (id),
    datos text,
    logo_huella bytea,
    logo bytea
);

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

-- API keys that are bound to one company. The key itself is kept nowhere.
CREATE TABLE clave_api (
    id uuid PRIMARY KEY,
    huella bytea NOT NULL UNIQUE,
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    nombre text NOT NULL,
    prefijo text NOT NULL,
    creada_por text NOT NULL,
    creada_en timestamptz NOT NULL,
    usada_en timestamptz,
    revocada_en timestamptz,
    -- Where a key was last used from.
    usada_desde text
);
CREATE INDEX clave_api_empresa ON clave_api (empresa_id, creada_en, id);
CREATE INDEX clave_api_viva ON clave_api (creada_en, id) WHERE revocada_en IS NULL;

-- Kinds of job that wait because their company paused where they go.
CREATE TABLE pausa (
    empresa_id uuid NOT NULL,
    tipo text NOT NULL,
    desde timestamptz NOT NULL,
    quien text NOT NULL,
    PRIMARY KEY (empresa_id, tipo)
);


-- ## People who sign in, and what they did

-- The password is an Argon2id hash; a person who was invited and has not chosen one has none.
CREATE TABLE usuario (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    email_normal text NOT NULL UNIQUE,
    nombre text NOT NULL,
    clave text,
    administrador boolean NOT NULL,
    activo boolean NOT NULL,
    creado_en timestamptz NOT NULL
);

CREATE TABLE pertenencia (
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    rol text NOT NULL,
    PRIMARY KEY (usuario_id, empresa_id)
);

-- The secret of the second factor; no code of a period up to `ultimo_paso` counts any more.
CREATE TABLE totp (
    usuario_id uuid PRIMARY KEY REFERENCES usuario (id),
    secreto bytea NOT NULL,
    ultimo_paso bigint NOT NULL
);

CREATE TABLE totp_codigo (
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    huella bytea NOT NULL,
    PRIMARY KEY (usuario_id, huella)
);

-- `huella` is that of the token in the cookie. `propio`: a device of the person's own; `a_medias`: the second factor is still to come.
CREATE TABLE sesion (
    id uuid PRIMARY KEY,
    huella bytea NOT NULL UNIQUE,
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    empresa_id uuid REFERENCES empresa (id),
    propio boolean NOT NULL,
    a_medias boolean NOT NULL,
    agente text NOT NULL,
    ip text,
    creada_en timestamptz NOT NULL,
    usada_en timestamptz NOT NULL,
    expira_en timestamptz NOT NULL
);
CREATE INDEX sesion_usuario ON sesion (usuario_id);
CREATE INDEX sesion_expira ON sesion (expira_en);

-- Links to choose a password with. A person has one of each kind: who asks for a new password ends no invitation.
CREATE TABLE recuperacion (
    huella bytea PRIMARY KEY,
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    creada_en timestamptz NOT NULL,
    expira_en timestamptz NOT NULL,
    invitacion boolean NOT NULL,
    UNIQUE (usuario_id, invitacion)
);
CREATE INDEX recuperacion_expira ON recuperacion (expira_en);

-- What a person chose for a company.
CREATE TABLE aviso_persona (
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    elegidos text NOT NULL,
    solo_asignados boolean NOT NULL,
    PRIMARY KEY (empresa_id, usuario_id)
);

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

-- Appended to, never changed. `quien` is what the person was called then.
CREATE TABLE auditoria (
    id uuid PRIMARY KEY,
    en timestamptz NOT NULL,
    usuario_id uuid,
    quien text NOT NULL,
    empresa_id uuid,
    accion text NOT NULL,
    objeto text,
    ip text,
    antes text,
    despues text
);
CREATE INDEX auditoria_en ON auditoria (en, id);
CREATE INDEX auditoria_usuario ON auditoria (usuario_id, en, id);
CREATE INDEX auditoria_empresa ON auditoria (empresa_id, en, id);


-- ## Leads: what the form, the bot and the agents say of them

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
    actualizado_en timestamptz NOT NULL,
    -- Where the lead is between the profile signal and `finalizar`; NULL in `bucle_paso`: nowhere.
    bucle_paso text,
    bucle_desde timestamptz,
    bucle_limite timestamptz,
    bucle_vencido boolean NOT NULL DEFAULT false,
    bucle_resenales bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
-- The list of one company and the list of all, newest first; who has this telephone or e-mail.
CREATE INDEX lead_empresa_creado ON lead (empresa_id, creado_en DESC, id DESC);
CREATE INDEX lead_creado ON lead (creado_en DESC, id DESC);
CREATE INDEX lead_telefono ON lead (telefono_e164, empresa_id);
CREATE INDEX lead_email ON lead (email_normal, empresa_id);
-- The leads that wait for something, few at any moment. Not by their deadline: it would move with every signal, and the lead's row
-- with it through all of the lead's indexes.
CREATE INDEX lead_bucle ON lead (bucle_paso) WHERE bucle_paso IS NOT NULL AND NOT bucle_vencido;

-- Apart from the lead's own row, which the calls of the bot write: only a record and a lead's page read it. NULL: not known.
CREATE TABLE lead_obra (
    lead_id uuid PRIMARY KEY,
    es_vivienda boolean,
    contratante text,
    dos_anos boolean,
    banos bigint,
    planta bigint,
    ascensor boolean,
    codigo_postal text
);

-- Campaign and ad ids of a lead. Names have no limit, and a B-tree has (2.7 kB): the code keeps them distinct, not a key.
CREATE TABLE utm (
    n bigint GENERATED ALWAYS AS IDENTITY,
    lead_id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    nombre text NOT NULL,
    valor text NOT NULL
);
CREATE INDEX utm_lead ON utm (lead_id);

CREATE TABLE consentimiento (
    n bigint GENERATED ALWAYS AS IDENTITY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    finalidad text NOT NULL,
    canal text,
    texto_version text NOT NULL,
    otorgado boolean NOT NULL,
    otorgado_en timestamptz NOT NULL,
    creado_en timestamptz NOT NULL,
    -- Where a consent was given or withdrawn.
    fuente text
);
CREATE INDEX consentimiento_lead ON consentimiento (lead_id, n);

CREATE TABLE turno (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    rol text NOT NULL,
    mensaje text NOT NULL,
    media_type text,
    media_url text,
    transcripcion_audio text,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
-- What was appended last. Rows come in this order, so a summary of each range of pages is enough, and costs a write nothing.
CREATE INDEX turno_n ON turno USING brin (n) WITH (pages_per_range = 32);

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
CREATE UNIQUE INDEX estado_historia_comando ON estado_historia (lead_id, comando, campo) WHERE comando IS NOT NULL;

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
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    canal text NOT NULL,
    numero_intento bigint NOT NULL,
    resultado text,
    completado boolean NOT NULL,
    duracion_seg bigint,
    notas text,
    metadata text,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
CREATE INDEX intento_n ON intento USING brin (n) WITH (pages_per_range = 32);

-- Either `url`, or `prefijo` with `bytes` (the picture's blob) and/or `crudo` (the received payload's blob).
CREATE TABLE foto (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    zona text NOT NULL,
    momento text NOT NULL,
    orden double precision NOT NULL,
    url text,
    prefijo text,
    bytes bytea,
    crudo bytea,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
CREATE INDEX foto_lead ON foto (lead_id, orden, n);
CREATE INDEX foto_n ON foto USING brin (n) WITH (pages_per_range = 32);

CREATE TABLE nota (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    texto text NOT NULL,
    zona text,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
CREATE INDEX nota_n ON nota USING brin (n) WITH (pages_per_range = 32);

CREATE TABLE evento (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    tipo text NOT NULL,
    simulado boolean NOT NULL,
    ok boolean NOT NULL,
    detalle text,
    creado_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, id)
);
-- Whether `finalizar` came since a signal was made is asked at every signal's end, and a lead may have many other events.
CREATE INDEX evento_finalizar ON evento (lead_id, creado_en) WHERE tipo = 'finalizar';
CREATE INDEX evento_n ON evento USING brin (n) WITH (pages_per_range = 32);


-- ## Photos: what was made of them, and blobs that are deleted

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

-- Blobs that a sweep is deleting, or has deleted (`barrido`): an ingestion that names one puts it again. `vez` is never given twice, not
-- even after its row is gone, so that an ingestion can say after which deletion it put the bytes. A lead that is unknown may have some.
CREATE TABLE blob_marca (
    lead_id uuid NOT NULL,
    huella bytea NOT NULL,
    creado_en timestamptz NOT NULL,
    vez bigint GENERATED BY DEFAULT AS IDENTITY,
    barrido boolean NOT NULL DEFAULT false,
    PRIMARY KEY (lead_id, huella)
);
CREATE INDEX blob_marca_creado ON blob_marca (creado_en) WHERE barrido;
CREATE INDEX blob_marca_pendiente ON blob_marca (lead_id, huella) WHERE NOT barrido;


-- ## The same call twice, one effect

-- `trabajos`: the jobs that a provisional answer waits for, separated by spaces; empty once it is final.
CREATE TABLE idempotencia (
    ambito text NOT NULL,
    clave text NOT NULL,
    cuerpo_sha256 bytea NOT NULL,
    status integer NOT NULL,
    location text,
    cuerpo text,
    creado_en timestamptz NOT NULL,
    expira_en timestamptz NOT NULL,
    trabajos text NOT NULL DEFAULT '',
    PRIMARY KEY (ambito, clave)
);
CREATE INDEX idempotencia_expira ON idempotencia (expira_en);


-- ## The outbox

-- Jobs. `n` is the order in which they were made: of two that are made at the same instant one is newer. A lease
-- (`arrendado_*`) belongs to pending jobs alone and is taken off when they end. Room in the pages: a lease that is prolonged
-- touches no indexed column (HOT).
CREATE TABLE trabajo (
    n bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    tipo text NOT NULL,
    carga text NOT NULL,
    estado text NOT NULL,
    intentos bigint NOT NULL DEFAULT 0,
    proximo_en timestamptz NOT NULL,
    arrendado_por uuid,
    arrendado_hasta timestamptz,
    en_duda boolean NOT NULL DEFAULT false,
    ultimo_error text,
    creado_en timestamptz NOT NULL,
    terminado_en timestamptz,
    -- The job that a person had sent again.
    repite uuid
) WITH (fillfactor = 80);
-- What is due, kind by kind; first attempts alone, for the time when a receiver is down and its retries pile up; who holds what.
CREATE INDEX trabajo_pendiente ON trabajo (tipo, proximo_en, n) WHERE estado = 'pendiente';
CREATE INDEX trabajo_primero ON trabajo (tipo, proximo_en, n) WHERE estado = 'pendiente' AND intentos = 0;
CREATE INDEX trabajo_arrendado ON trabajo (arrendado_por) WHERE arrendado_por IS NOT NULL;
-- Which are older and which newer, of one kind and lead.
CREATE INDEX trabajo_lead ON trabajo (lead_id, tipo, n);
-- Lists, newest first: of all, and of those that wait for a person. What is old enough to go is found by when it was made.
CREATE INDEX trabajo_creado ON trabajo (creado_en DESC, id DESC);
CREATE INDEX trabajo_parado ON trabajo (estado, creado_en DESC, id DESC) WHERE estado IN ('muerto', 'aparcado');
-- A company's lists, newest first: of all, and of those that wait for a person.
CREATE INDEX trabajo_empresa ON trabajo (empresa_id, creado_en DESC, id DESC);
CREATE INDEX trabajo_parado_empresa ON trabajo (empresa_id, estado, creado_en DESC, id DESC)
    WHERE estado IN ('muerto', 'aparcado');

-- The delivery log: one row per attempt.
CREATE TABLE entrega (
    n bigint GENERATED ALWAYS AS IDENTITY,
    trabajo_id uuid NOT NULL,
    inicio timestamptz NOT NULL,
    duracion_ms bigint NOT NULL,
    ok boolean NOT NULL,
    status integer,
    error text,
    respuesta text,
    PRIMARY KEY (trabajo_id, n)
);


-- ## Quotes

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
    emitido_en timestamptz,
    documento text NOT NULL,
    hoja text,
    -- The visit that was asked for last on an orientative quote.
    visita_en timestamptz,
    visita_nota text,
    CONSTRAINT presupuesto_numero UNIQUE (empresa_id, anio, orden),
    CONSTRAINT presupuesto_version UNIQUE (lead_id, version)
);
-- A company's quotes by where they stand, newest first.
CREATE INDEX presupuesto_estado ON presupuesto (empresa_id, estado, anio, orden);
-- Quotes that may be reminded of, by when they were issued.
CREATE INDEX presupuesto_emitido ON presupuesto (empresa_id, estado, emitido_en, id);

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
    creado_en timestamptz NOT NULL,
    -- The rule whose declaration the client made on accepting a quote, with its version.
    declaracion text,
    -- Which options were ticked (JSON, `id` and `concepto` of each), what was agreed to be paid with them, and the version of the text by
    -- which the client asked for the work to begin within the days of withdrawal.
    opciones text,
    total_cents bigint,
    inicio_anticipado text
);
CREATE INDEX presupuesto_respuesta_presupuesto ON presupuesto_respuesta (presupuesto_id, n);

-- While a delivery's job is kept, the job tells its state; before the job is purged, the state is copied here. A simulated delivery
-- has no job, only the id of the one that would have made it.
CREATE TABLE presupuesto_entrega (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    presupuesto_id uuid NOT NULL,
    canal text NOT NULL,
    trabajo_id uuid NOT NULL UNIQUE,
    simulada boolean NOT NULL,
    trabajo_estado text,
    en timestamptz NOT NULL
);
CREATE INDEX presupuesto_entrega_lead ON presupuesto_entrega (lead_id);

-- Quotes that people are still writing: one of a lead at most. `hoja` is what the quote is made of; a sealed quote keeps it.
CREATE TABLE borrador (
    lead_id uuid PRIMARY KEY,
    id uuid NOT NULL,
    empresa_id uuid NOT NULL,
    motivo text NOT NULL,
    revision bigint NOT NULL,
    hoja text NOT NULL,
    guardado_por uuid,
    creado_en timestamptz NOT NULL,
    guardado_en timestamptz NOT NULL,
    -- The audit line of the editing stretch under way, and the sheet as it was before it.
    tramo_apunte uuid,
    tramo_hoja text
);
CREATE INDEX borrador_id ON borrador (id);
CREATE INDEX borrador_empresa ON borrador (empresa_id, motivo, guardado_en, id);


-- ## What people in the panel do with a lead

-- How far a lead has come: written with whatever changes it, only when it changes. Every lead has a row from its creation on, so the
-- narrow row also tells what a chat turn must know of its lead.
CREATE TABLE lead_etapa (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    etapa text NOT NULL,
    desde timestamptz NOT NULL
);
CREATE INDEX lead_etapa_tablero ON lead_etapa (empresa_id, etapa);

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
    accion_por uuid,
    -- When accepted work begins, and how far it has come; a person says so.
    obra_inicio date,
    obra_progreso text
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
CREATE INDEX nota_interna_n ON nota_interna USING brin (n) WITH (pages_per_range = 32);

-- When a person last saw a lead.
CREATE TABLE lead_leido (
    lead_id uuid NOT NULL,
    usuario_id uuid NOT NULL,
    visto_en timestamptz NOT NULL,
    PRIMARY KEY (lead_id, usuario_id)
);
-- What few leads a person has seen is found by the person: the planner would read the table for it.
CREATE INDEX lead_leido_usuario ON lead_leido (usuario_id, lead_id);

-- A lead that is the same person as another one, which is shown for both. Nothing else is moved.
CREATE TABLE lead_union (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    unido_por uuid NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE INDEX lead_union_principal ON lead_union (principal_id);


-- ## Visits

-- `huecos` and `personas` are JSON. `vigente_hasta` is the end of an agreed visit until that has passed: the lead's etapa is
-- `visita` while one of its visits has it.
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


-- ## Projected from the rest, and made again when in doubt

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
    viable boolean,
    accion text,
    accion_en timestamptz NOT NULL,
    -- The lead's etapa, which says whether it is closed.
    etapa text NOT NULL DEFAULT 'nuevo',
    -- Since when a draft waits for a person.
    revisar_en timestamptz,
    visita_pedida_en timestamptz,
    -- The start of the next agreed visit that nobody has closed.
    visita_en timestamptz,
    -- These tell that a lead has to be counted anew: its channel, and whether somebody contacted it and answered it.
    canal text,
    contactado boolean NOT NULL DEFAULT false,
    contestado boolean NOT NULL DEFAULT false,
    -- Since when a person waits for an answer about their data.
    derecho_en timestamptz
) WITH (fillfactor = 80);
CREATE INDEX lead_actividad_accion ON lead_actividad (empresa_id, accion_en, lead_id);
CREATE INDEX lead_actividad_reciente ON lead_actividad (empresa_id, actividad_en DESC, lead_id DESC);
CREATE INDEX lead_actividad_etapa ON lead_actividad (empresa_id, etapa, accion_en, lead_id);

-- Projected: what a lead is found by. Its trigrams are indexed where the server has pg_trgm, which is seen to at every start.
CREATE TABLE lead_busqueda (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    texto text NOT NULL,
    creado_en timestamptz NOT NULL
);
CREATE INDEX lead_busqueda_creado ON lead_busqueda (empresa_id, creado_en DESC, lead_id DESC);

-- What a lead counted for (JSON), so that it can be taken back.
CREATE TABLE lead_cifra (
    lead_id uuid PRIMARY KEY,
    empresa_id uuid NOT NULL,
    datos text NOT NULL
);

-- What a company's leads come to (JSON), by day and by month (`dia` is its first), in each zone.
CREATE TABLE cifra (
    empresa_id uuid NOT NULL,
    zona text NOT NULL,
    nivel text NOT NULL,
    dia date NOT NULL,
    datos text NOT NULL,
    PRIMARY KEY (empresa_id, zona, nivel, dia)
);

-- How far the projector has read each table: everything up to `hasta`, and at `visto_en` there was `visto`.
CREATE TABLE proyeccion (
    nombre text PRIMARY KEY,
    hasta bigint NOT NULL,
    visto bigint NOT NULL,
    visto_en timestamptz NOT NULL
);


-- ## Rights of people over their data

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


-- ## What processes share

-- Secrets of our own.
CREATE TABLE secreto (
    nombre text PRIMARY KEY,
    valor bytea NOT NULL
);

-- What one process at a time does. Same table as on SQLite. `hasta` runs on this database's clock.
CREATE TABLE arriendo (
    nombre text PRIMARY KEY,
    por uuid NOT NULL,
    hasta timestamptz NOT NULL
);

-- How often something happened for somebody in a window of time, shared by all processes. Same table as on SQLite. `sujeto` is a keyed
-- hash: no address, telephone or e-mail is kept here.
CREATE TABLE conteo (
    tipo text NOT NULL,
    sujeto uuid NOT NULL,
    ventana bigint NOT NULL,
    n bigint NOT NULL,
    expira_en timestamptz NOT NULL,
    PRIMARY KEY (tipo, sujeto, ventana)
);
CREATE INDEX conteo_expira ON conteo (expira_en);
