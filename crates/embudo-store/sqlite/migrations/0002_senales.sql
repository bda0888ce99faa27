-- The outbox, the watched loop, notices to companies, provisional answers and traces of swept blobs.
-- Same tables and columns as on PostgreSQL.

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
    terminado_en INTEGER
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

-- Where a lead stands between the profile signal and `finalizar`; without a step it stands nowhere.
ALTER TABLE lead ADD COLUMN bucle_paso TEXT;
ALTER TABLE lead ADD COLUMN bucle_desde INTEGER;
ALTER TABLE lead ADD COLUMN bucle_limite INTEGER;
ALTER TABLE lead ADD COLUMN bucle_vencido INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lead ADD COLUMN bucle_resenales INTEGER NOT NULL DEFAULT 0;
CREATE INDEX lead_bucle ON lead (bucle_limite) WHERE bucle_vencido = 0 AND bucle_limite IS NOT NULL;
-- Whether `finalizar` came since a signal was made is asked at every signal's end, and a lead may have many other events.
CREATE INDEX evento_finalizar ON evento (lead_id, creado_en) WHERE tipo = 'finalizar';

ALTER TABLE empresa ADD COLUMN email_avisos TEXT;
ALTER TABLE empresa ADD COLUMN avisos INTEGER NOT NULL DEFAULT 1;

-- The jobs that a provisional answer waits for, separated by spaces; empty once it is final. An answer is known from the
-- start: a key without one was never written by a released program.
DELETE FROM idempotencia WHERE status IS NULL;
ALTER TABLE idempotencia ADD COLUMN trabajos TEXT NOT NULL DEFAULT '';

-- Blobs that a sweep is deleting, or has deleted (`barrido`): an ingestion that names one puts it again. `vez` is never
-- given twice, not even after its row is gone, so that an ingestion can say after which deletion it put the bytes.
ALTER TABLE blob_marca RENAME TO blob_marca_1;
CREATE TABLE blob_marca (
    vez INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id BLOB NOT NULL,
    huella BLOB NOT NULL,
    barrido INTEGER NOT NULL DEFAULT 0,
    creado_en INTEGER NOT NULL,
    UNIQUE (lead_id, huella)
) STRICT;
INSERT INTO blob_marca (lead_id, huella, creado_en)
SELECT lead_id, huella, creado_en FROM blob_marca_1 ORDER BY creado_en;
DROP TABLE blob_marca_1;
CREATE INDEX blob_marca_creado ON blob_marca (barrido, creado_en);
