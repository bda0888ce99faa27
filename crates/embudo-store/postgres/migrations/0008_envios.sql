-- The outbox in the panel: companies pause destinations, and send again what was sent. Same tables and columns as on SQLite.

-- The job that a person had sent again.
ALTER TABLE trabajo ADD COLUMN repite uuid;
-- A company's lists, newest first: of all, and of those that wait for a person.
CREATE INDEX trabajo_empresa ON trabajo (empresa_id, creado_en DESC, id DESC);
CREATE INDEX trabajo_parado_empresa ON trabajo (empresa_id, estado, creado_en DESC, id DESC)
    WHERE estado IN ('muerto', 'aparcado');

-- Kinds of job that wait because their company paused where they go.
CREATE TABLE pausa (
    empresa_id uuid NOT NULL,
    tipo text NOT NULL,
    desde timestamptz NOT NULL,
    quien text NOT NULL,
    PRIMARY KEY (empresa_id, tipo)
);
