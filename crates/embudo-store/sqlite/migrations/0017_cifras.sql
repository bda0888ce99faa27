-- What the summary shows, projected. Same tables and columns as on PostgreSQL.

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

-- What tells that a lead has to be counted anew: its channel, and whether we have spoken, and answered, for the first time.
ALTER TABLE lead_actividad ADD COLUMN canal TEXT;
ALTER TABLE lead_actividad ADD COLUMN contactado INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lead_actividad ADD COLUMN contestado INTEGER NOT NULL DEFAULT 0;

-- Every lead is projected again, and counted with that.
DELETE FROM proyeccion;
