-- What decides tax and part of the price of a job, and what clients declare of it. Same tables and columns as on PostgreSQL.

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

-- The rule whose declaration the client made on accepting a quote, with its version.
ALTER TABLE presupuesto_respuesta ADD COLUMN declaracion TEXT;
