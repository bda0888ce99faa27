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
    guardado_en INTEGER NOT NULL
) STRICT;
CREATE INDEX borrador_id ON borrador (id);
CREATE INDEX borrador_empresa ON borrador (empresa_id, motivo, guardado_en, id);
-- A company's quotes by where they stand, newest first.
CREATE INDEX presupuesto_estado ON presupuesto (empresa_id, estado, anio, orden);
ALTER TABLE presupuesto ADD COLUMN hoja TEXT;
-- Since when a draft waits for a person.
ALTER TABLE lead_actividad ADD COLUMN revisar_en INTEGER;
-- How a company wants to work.
CREATE TABLE ajustes (
    empresa_id BLOB PRIMARY KEY,
    datos TEXT NOT NULL
) STRICT, WITHOUT ROWID;
