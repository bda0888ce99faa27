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
    guardado_en timestamptz NOT NULL
);
CREATE INDEX borrador_id ON borrador (id);
CREATE INDEX borrador_empresa ON borrador (empresa_id, motivo, guardado_en, id);
-- A company's quotes by where they stand, newest first.
CREATE INDEX presupuesto_estado ON presupuesto (empresa_id, estado, anio, orden);
ALTER TABLE presupuesto ADD COLUMN hoja text;
-- Since when a draft waits for a person.
ALTER TABLE lead_actividad ADD COLUMN revisar_en timestamptz;
-- How a company wants to work.
CREATE TABLE ajustes (
    empresa_id uuid PRIMARY KEY,
    datos text NOT NULL
);
