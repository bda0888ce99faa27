-- What decides tax and part of the price of a job, and what clients declare of it. Same tables and columns as on SQLite.

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

-- The rule whose declaration the client made on accepting a quote, with its version.
ALTER TABLE presupuesto_respuesta ADD COLUMN declaracion text;
