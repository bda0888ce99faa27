-- Accepted work: for how many days it goes on, the first one counted, and its last day. A person says so; without a number it is shown
-- on its first day.
ALTER TABLE lead_gestion ADD COLUMN obra_dias bigint;
ALTER TABLE lead_gestion ADD COLUMN obra_fin date;
UPDATE lead_gestion SET obra_fin = obra_inicio WHERE obra_inicio IS NOT NULL;
-- A company's works by when they begin.
CREATE INDEX lead_gestion_obra ON lead_gestion (empresa_id, obra_inicio) WHERE obra_inicio IS NOT NULL;

-- Where a lead stood before it was last archived, and since when: what undoing that restores.
ALTER TABLE lead_gestion ADD COLUMN archivado_etapa text;
ALTER TABLE lead_gestion ADD COLUMN archivado_desde timestamptz;
-- What a person archived in one go.
CREATE INDEX lead_gestion_archivado ON lead_gestion (archivado_por, archivado_en) WHERE archivado_en IS NOT NULL;

-- When a visit was cancelled and by whom; a time without a person: by the client. Nobody knows it of older ones.
ALTER TABLE visita ADD COLUMN cancelada_en timestamptz;
ALTER TABLE visita ADD COLUMN cancelada_por uuid;
