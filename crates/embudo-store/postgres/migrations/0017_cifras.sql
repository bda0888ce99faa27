-- What the summary shows, projected. Same tables and columns as on SQLite.

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

-- What tells that a lead has to be counted anew: its channel, and whether we have spoken, and answered, for the first time.
ALTER TABLE lead_actividad ADD COLUMN canal text;
ALTER TABLE lead_actividad ADD COLUMN contactado boolean NOT NULL DEFAULT false;
ALTER TABLE lead_actividad ADD COLUMN contestado boolean NOT NULL DEFAULT false;

-- Every lead is projected again, and counted with that.
DELETE FROM proyeccion;
