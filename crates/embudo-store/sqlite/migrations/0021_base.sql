-- The tables of Embudo, by subject. Same tables and columns as on PostgreSQL, but for those that only one engine needs.
-- Times are microseconds since 1970, UTC; days are texts (2026-01-31), which sort as they follow each other; truths are 0 and 1.
-- What belongs to a lead names it without a foreign key: every insert reads the lead anyway, and checking twice costs on the hot path.
-- `n` is the order of acceptance.


-- ## Companies

CREATE TABLE empresa (
    id BLOB PRIMARY KEY,
    nombre TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE,
    por_defecto INTEGER NOT NULL,
    creado_en INTEGER NOT NULL,
    email_avisos TEXT,
    avisos INTEGER NOT NULL DEFAULT 1,
    -- What the company's own address gets, and what somebody in it wants in their own mail: words with spaces between them.
    avisos_elegidos TEXT NOT NULL DEFAULT 'leads perfiles respuestas problemas',
    avisos_personas TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX empresa_por_defecto ON empresa (por_defecto) WHERE por_defecto = 1;

-- How a company wants to work (`datos` is JSON).
CREATE TABLE ajustes (
    empresa_id BLOB PRIMARY KEY,
    datos TEXT NOT NULL,
    -- The signals that have a receiver of the company's own: workers need not read all settings.
    conecta TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- `datos` is JSON, absent while only a logo is known; `logo_huella` is the mark of `logo`, known without reading it.
CREATE TABLE marca (
    empresa_id BLOB PRIMARY KEY REFERENCES empresa (id),
    datos TEXT,
    logo_huella BLOB,
    logo BLOB
) STRICT;

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

-- API keys that are bound to one company. The key itself is kept nowhere.
CREATE TABLE clave_api (
    id BLOB PRIMARY KEY,
    huella BLOB NOT NULL UNIQUE,
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    nombre TEXT NOT NULL,
    prefijo TEXT NOT NULL,
    creada_por TEXT NOT NULL,
    creada_en INTEGER NOT NULL,
    usada_en INTEGER,
    revocada_en INTEGER,
    -- Where a key was last used from.
    usada_desde TEXT
) STRICT;
CREATE INDEX clave_api_empresa ON clave_api (empresa_id, creada_en, id);
CREATE INDEX clave_api_viva ON clave_api (creada_en, id) WHERE revocada_en IS NULL;

-- Kinds of job that wait because their company paused where they go.
CREATE TABLE pausa (
    empresa_id BLOB NOT NULL,
    tipo TEXT NOT NULL,
    desde INTEGER NOT NULL,
    quien TEXT NOT NULL,
    PRIMARY KEY (empresa_id, tipo)
) STRICT, WITHOUT ROWID;


-- ## People who sign in, and what they did

-- The password is an Argon2id hash; a person who was invited and has not chosen one has none.
CREATE TABLE usuario (
    id BLOB PRIMARY KEY,
    email TEXT NOT NULL,
    email_normal TEXT NOT NULL UNIQUE,
    nombre TEXT NOT NULL,
    clave TEXT,
    administrador INTEGER NOT NULL,
    activo INTEGER NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT;

CREATE TABLE pertenencia (
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    rol TEXT NOT NULL,
    PRIMARY KEY (usuario_id, empresa_id)
) STRICT, WITHOUT ROWID;

-- The secret of the second factor; no code of a period up to `ultimo_paso` counts any more.
CREATE TABLE totp (
    usuario_id BLOB PRIMARY KEY REFERENCES usuario (id),
    secreto BLOB NOT NULL,
    ultimo_paso INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE totp_codigo (
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    huella BLOB NOT NULL,
    PRIMARY KEY (usuario_id, huella)
) STRICT, WITHOUT ROWID;

-- `huella` is that of the token in the cookie. `propio`: a device of the person's own; `a_medias`: the second factor is still to come.
CREATE TABLE sesion (
    id BLOB PRIMARY KEY,
    huella BLOB NOT NULL UNIQUE,
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    empresa_id BLOB REFERENCES empresa (id),
    propio INTEGER NOT NULL,
    a_medias INTEGER NOT NULL,
    agente TEXT NOT NULL,
    ip TEXT,
    creada_en INTEGER NOT NULL,
    usada_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL
) STRICT;
CREATE INDEX sesion_usuario ON sesion (usuario_id);
CREATE INDEX sesion_expira ON sesion (expira_en);

-- Links to choose a password with. A person has one of each kind: who asks for a new password ends no invitation.
CREATE TABLE recuperacion (
    huella BLOB PRIMARY KEY,
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    invitacion INTEGER NOT NULL,
    creada_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL,
    UNIQUE (usuario_id, invitacion)
) STRICT, WITHOUT ROWID;
CREATE INDEX recuperacion_expira ON recuperacion (expira_en);

-- What a person chose for a company.
CREATE TABLE aviso_persona (
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    elegidos TEXT NOT NULL,
    solo_asignados INTEGER NOT NULL,
    PRIMARY KEY (empresa_id, usuario_id)
) STRICT, WITHOUT ROWID;

-- A person's hours (JSON; none yet: the usual ones), and the mark of the secret that their calendar is followed by. The row is locked
-- while a visit gets into the person's calendar.
CREATE TABLE agenda (
    usuario_id BLOB PRIMARY KEY,
    revision INTEGER NOT NULL,
    datos TEXT,
    calendario BLOB,
    calendario_en INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX agenda_calendario ON agenda (calendario) WHERE calendario IS NOT NULL;

-- Appended to, never changed. `quien` is what the person was called then.
CREATE TABLE auditoria (
    id BLOB PRIMARY KEY,
    en INTEGER NOT NULL,
    usuario_id BLOB,
    quien TEXT NOT NULL,
    empresa_id BLOB,
    accion TEXT NOT NULL,
    objeto TEXT,
    ip TEXT,
    antes TEXT,
    despues TEXT
) STRICT;
CREATE INDEX auditoria_en ON auditoria (en, id);
CREATE INDEX auditoria_usuario ON auditoria (usuario_id, en, id);
CREATE INDEX auditoria_empresa ON auditoria (empresa_id, en, id);


-- ## Leads: what the form, the bot and the agents say of them

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
    actualizado_en INTEGER NOT NULL,
    -- Where the lead is between the profile signal and `finalizar`; NULL in `bucle_paso`: nowhere.
    bucle_paso TEXT,
    bucle_desde INTEGER,
    bucle_limite INTEGER,
    bucle_vencido INTEGER NOT NULL DEFAULT 0,
    bucle_resenales INTEGER NOT NULL DEFAULT 0
) STRICT;
-- The list of one company and the list of all, newest first; who has this telephone or e-mail.
CREATE INDEX lead_empresa_creado ON lead (empresa_id, creado_en DESC, id DESC);
CREATE INDEX lead_creado ON lead (creado_en DESC, id DESC);
CREATE INDEX lead_telefono ON lead (telefono_e164, empresa_id);
CREATE INDEX lead_email ON lead (email_normal, empresa_id);
CREATE INDEX lead_bucle ON lead (bucle_limite) WHERE bucle_vencido = 0 AND bucle_limite IS NOT NULL;

-- Apart from the lead's own row, which the calls of the bot write: only a record and a lead's page read it. NULL: not known.
CREATE TABLE lead_obra (
    lead_id BLOB NOT NULL PRIMARY KEY REFERENCES lead (id),
    es_vivienda INTEGER,
    contratante TEXT,
    dos_anos INTEGER,
    banos INTEGER,
    planta INTEGER,
    ascensor INTEGER,
    codigo_postal TEXT
) STRICT, WITHOUT ROWID;

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
    creado_en INTEGER NOT NULL,
    -- Where a consent was given or withdrawn.
    fuente TEXT
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
-- Whether `finalizar` came since a signal was made is asked at every signal's end, and a lead may have many other events.
CREATE INDEX evento_finalizar ON evento (lead_id, creado_en) WHERE tipo = 'finalizar';


-- ## Photos: what was made of them, and blobs that are deleted

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

-- Blobs that a sweep is deleting, or has deleted (`barrido`): an ingestion that names one puts it again. `vez` is never given twice, not
-- even after its row is gone, so that an ingestion can say after which deletion it put the bytes. A lead that is unknown may have some.
CREATE TABLE blob_marca (
    vez INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id BLOB NOT NULL,
    huella BLOB NOT NULL,
    barrido INTEGER NOT NULL DEFAULT 0,
    creado_en INTEGER NOT NULL,
    UNIQUE (lead_id, huella)
) STRICT;
CREATE INDEX blob_marca_creado ON blob_marca (barrido, creado_en);


-- ## The same call twice, one effect

-- `trabajos`: the jobs that a provisional answer waits for, separated by spaces; empty once it is final.
CREATE TABLE idempotencia (
    ambito TEXT NOT NULL,
    clave TEXT NOT NULL,
    cuerpo_sha256 BLOB NOT NULL,
    status INTEGER,
    location TEXT,
    cuerpo TEXT,
    creado_en INTEGER NOT NULL,
    expira_en INTEGER NOT NULL,
    trabajos TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (ambito, clave)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotencia_expira ON idempotencia (expira_en);


-- ## The outbox

-- Something that must leave the house. `arrendado_hasta` runs on this database's clock, `proximo_en` on the caller's.
CREATE TABLE trabajo (
    id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    tipo TEXT NOT NULL,
    carga TEXT NOT NULL,
    estado TEXT NOT NULL,
    intentos INTEGER NOT NULL,
    proximo_en INTEGER NOT NULL,
    arrendado_por BLOB,
    arrendado_hasta INTEGER,
    en_duda INTEGER NOT NULL,
    ultimo_error TEXT,
    creado_en INTEGER NOT NULL,
    terminado_en INTEGER,
    -- The job that a person had sent again.
    repite BLOB
) STRICT;
-- What can be taken: jobs that nobody holds, apart from those whose lease may have run out, so that neither hides the
-- other; and first attempts alone, for the time when a receiver is down and its retries pile up.
CREATE INDEX trabajo_libre ON trabajo (tipo, proximo_en) WHERE estado = 'pendiente' AND arrendado_hasta IS NULL;
CREATE INDEX trabajo_primero ON trabajo (tipo, proximo_en)
    WHERE estado = 'pendiente' AND arrendado_hasta IS NULL AND intentos = 0;
CREATE INDEX trabajo_arrendado ON trabajo (arrendado_hasta)
    WHERE estado = 'pendiente' AND arrendado_hasta IS NOT NULL;
-- Which jobs a newer one makes pointless, without a look at those that ended; whether there is a newer one; lists, newest first, of
-- all and of those that wait for a person. What is old enough to
-- go is found by when it was made.
CREATE INDEX trabajo_espera ON trabajo (lead_id, tipo) WHERE estado = 'pendiente';
CREATE INDEX trabajo_lead ON trabajo (lead_id, tipo);
CREATE INDEX trabajo_creado ON trabajo (creado_en DESC, id DESC);
CREATE INDEX trabajo_parado ON trabajo (estado, creado_en DESC, id DESC)
    WHERE estado = 'muerto' OR estado = 'aparcado';
-- A company's lists, newest first: of all, and of those that wait for a person.
CREATE INDEX trabajo_empresa ON trabajo (empresa_id, creado_en DESC, id DESC);
CREATE INDEX trabajo_parado_empresa ON trabajo (empresa_id, estado, creado_en DESC, id DESC)
    WHERE estado = 'muerto' OR estado = 'aparcado';

-- The delivery log: one row per attempt, in order.
CREATE TABLE entrega (
    n INTEGER PRIMARY KEY,
    trabajo_id BLOB NOT NULL,
    inicio INTEGER NOT NULL,
    duracion_ms INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    respuesta TEXT
) STRICT;
CREATE INDEX entrega_trabajo ON entrega (trabajo_id);


-- ## Quotes

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
    emitido_en INTEGER,
    documento TEXT NOT NULL,
    hoja TEXT,
    -- The visit that was asked for last on an orientative quote.
    visita_en INTEGER,
    visita_nota TEXT,
    UNIQUE (empresa_id, anio, orden),
    UNIQUE (lead_id, version)
) STRICT;
-- A company's quotes by where they stand, newest first.
CREATE INDEX presupuesto_estado ON presupuesto (empresa_id, estado, anio, orden);
-- Quotes that may be reminded of, by when they were issued.
CREATE INDEX presupuesto_emitido ON presupuesto (empresa_id, estado, emitido_en, id);

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
    creado_en INTEGER NOT NULL,
    -- The rule whose declaration the client made on accepting a quote, with its version.
    declaracion TEXT,
    -- Which options were ticked (JSON, `id` and `concepto` of each), what was agreed to be paid with them, and the version of the text by
    -- which the client asked for the work to begin within the days of withdrawal.
    opciones TEXT,
    total_cents INTEGER,
    inicio_anticipado TEXT
) STRICT;
CREATE INDEX presupuesto_respuesta_presupuesto ON presupuesto_respuesta (presupuesto_id);

-- While a delivery's job is kept, the job tells its state; before the job is purged, the state is copied here. A simulated delivery
-- has no job, only the id of the one that would have made it.
CREATE TABLE presupuesto_entrega (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    presupuesto_id BLOB NOT NULL,
    canal TEXT NOT NULL,
    trabajo_id BLOB NOT NULL UNIQUE,
    simulada INTEGER NOT NULL,
    trabajo_estado TEXT,
    en INTEGER NOT NULL
) STRICT;
CREATE INDEX presupuesto_entrega_lead ON presupuesto_entrega (lead_id);

-- Quotes that people are still writing: one of a lead at most. `hoja` is what the quote is made of; a sealed quote keeps it.
CREATE TABLE borrador (
    lead_id BLOB PRIMARY KEY,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    motivo TEXT NOT NULL,
    revision INTEGER NOT NULL,
    hoja TEXT NOT NULL,
    guardado_por BLOB,
    creado_en INTEGER NOT NULL,
    guardado_en INTEGER NOT NULL,
    -- The audit line of the editing stretch under way, and the sheet as it was before it.
    tramo_apunte BLOB,
    tramo_hoja TEXT
) STRICT;
CREATE INDEX borrador_id ON borrador (id);
CREATE INDEX borrador_empresa ON borrador (empresa_id, motivo, guardado_en, id);


-- ## What people in the panel do with a lead

-- How far a lead has come: written with whatever changes it, only when it changes. Every lead has a row from its creation on, so the
-- narrow row also tells what a chat turn must know of its lead.
CREATE TABLE lead_etapa (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    etapa TEXT NOT NULL,
    desde INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_etapa_tablero ON lead_etapa (empresa_id, etapa);

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
    accion_por BLOB,
    -- When accepted work begins, and how far it has come; a person says so.
    obra_inicio TEXT,
    obra_progreso TEXT
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

-- A lead that is the same person as another one, which is shown for both. Nothing else is moved.
CREATE TABLE lead_union (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    principal_id BLOB NOT NULL,
    unido_por BLOB NOT NULL,
    creado_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_union_principal ON lead_union (principal_id);


-- ## Visits

-- `huecos` and `personas` are JSON. `vigente_hasta` is the end of an agreed visit until that has passed: the lead's etapa is
-- `visita` while one of its visits has it.
CREATE TABLE visita (
    lead_id BLOB NOT NULL,
    id BLOB NOT NULL,
    empresa_id BLOB NOT NULL,
    estado TEXT NOT NULL,
    revision INTEGER NOT NULL,
    secuencia INTEGER NOT NULL,
    huecos TEXT NOT NULL,
    inicio INTEGER,
    fin INTEGER,
    minutos INTEGER NOT NULL,
    direccion TEXT NOT NULL,
    personas TEXT NOT NULL,
    notas TEXT NOT NULL,
    medidas TEXT NOT NULL,
    vigente_hasta INTEGER,
    creada_en INTEGER NOT NULL,
    cambiada_en INTEGER NOT NULL,
    PRIMARY KEY (lead_id, id)
) STRICT;
CREATE INDEX visita_id ON visita (id);
CREATE INDEX visita_calendario ON visita (empresa_id, inicio, id);
CREATE INDEX visita_estado ON visita (empresa_id, estado, cambiada_en, id);
CREATE INDEX visita_vigente ON visita (vigente_hasta) WHERE vigente_hasta IS NOT NULL;

-- Whose calendar a visit that has a time is in.
CREATE TABLE visita_persona (
    lead_id BLOB NOT NULL,
    visita_id BLOB NOT NULL,
    usuario_id BLOB NOT NULL,
    fin INTEGER NOT NULL,
    PRIMARY KEY (lead_id, visita_id, usuario_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX visita_persona_usuario ON visita_persona (usuario_id, fin);


-- ## Projected from the rest, and made again when in doubt

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
    viable INTEGER,
    accion TEXT,
    accion_en INTEGER NOT NULL,
    -- The lead's etapa, which says whether it is closed.
    etapa TEXT NOT NULL DEFAULT 'nuevo',
    -- Since when a draft waits for a person.
    revisar_en INTEGER,
    visita_pedida_en INTEGER,
    -- The start of the next agreed visit that nobody has closed.
    visita_en INTEGER,
    -- These tell that a lead has to be counted anew: its channel, and whether somebody contacted it and answered it.
    canal TEXT,
    contactado INTEGER NOT NULL DEFAULT 0,
    contestado INTEGER NOT NULL DEFAULT 0,
    -- Since when a person waits for an answer about their data.
    derecho_en INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_actividad_accion ON lead_actividad (empresa_id, accion_en, lead_id);
CREATE INDEX lead_actividad_reciente ON lead_actividad (empresa_id, actividad_en DESC, lead_id DESC);
CREATE INDEX lead_actividad_etapa ON lead_actividad (empresa_id, etapa, accion_en, lead_id);

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

-- What a lead counted for (JSON), so that it can be taken back.
CREATE TABLE lead_cifra (
    lead_id BLOB PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    datos TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a company's leads come to (JSON), by day and by month (`dia` is its first), in each zone.
CREATE TABLE cifra (
    empresa_id BLOB NOT NULL,
    zona TEXT NOT NULL,
    nivel TEXT NOT NULL,
    dia TEXT NOT NULL,
    datos TEXT NOT NULL,
    PRIMARY KEY (empresa_id, zona, nivel, dia)
) STRICT;

-- How far the projector has read each table: everything up to `hasta`, and at `visto_en` there was `visto`.
CREATE TABLE proyeccion (
    nombre TEXT PRIMARY KEY,
    hasta INTEGER NOT NULL,
    visto INTEGER NOT NULL,
    visto_en INTEGER NOT NULL
) STRICT, WITHOUT ROWID;


-- ## Rights of people over their data

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


-- ## What processes share

-- Secrets of our own.
CREATE TABLE secreto (
    nombre TEXT PRIMARY KEY,
    valor BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What one process at a time does. Same table as on PostgreSQL. `hasta` runs on this database's clock.
CREATE TABLE arriendo (
    nombre TEXT PRIMARY KEY,
    por BLOB NOT NULL,
    hasta INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How often something happened for somebody in a window of time, shared by all processes. Same table as on PostgreSQL. `sujeto` is a keyed
-- hash: no address, telephone or e-mail is kept here.
CREATE TABLE conteo (
    tipo TEXT NOT NULL,
    sujeto BLOB NOT NULL,
    ventana INTEGER NOT NULL,
    n INTEGER NOT NULL,
    expira_en INTEGER NOT NULL,
    PRIMARY KEY (tipo, sujeto, ventana)
) STRICT, WITHOUT ROWID;
CREATE INDEX conteo_expira ON conteo (expira_en);
