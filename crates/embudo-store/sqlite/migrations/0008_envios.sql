-- The outbox in the panel: companies pause destinations, and send again what was sent. Same tables and columns as on PostgreSQL.

-- The job that a person had sent again.
ALTER TABLE trabajo ADD COLUMN repite BLOB;
-- A company's lists, newest first: of all, and of those that wait for a person.
CREATE INDEX trabajo_empresa ON trabajo (empresa_id, creado_en DESC, id DESC);
CREATE INDEX trabajo_parado_empresa ON trabajo (empresa_id, estado, creado_en DESC, id DESC)
    WHERE estado = 'muerto' OR estado = 'aparcado';

-- Kinds of job that wait because their company paused where they go.
CREATE TABLE pausa (
    empresa_id BLOB NOT NULL,
    tipo TEXT NOT NULL,
    desde INTEGER NOT NULL,
    quien TEXT NOT NULL,
    PRIMARY KEY (empresa_id, tipo)
) STRICT, WITHOUT ROWID;
