-- The list of one etapa, in the order of the next action. The etapa is projected with the rest and says whether the lead is closed.
ALTER TABLE lead_actividad ADD COLUMN etapa TEXT NOT NULL DEFAULT 'nuevo';
UPDATE lead_actividad SET etapa = e.etapa FROM lead_etapa e WHERE e.lead_id = lead_actividad.lead_id;
ALTER TABLE lead_actividad DROP COLUMN cerrado;
CREATE INDEX lead_actividad_etapa ON lead_actividad (empresa_id, etapa, accion_en, lead_id);
