-- Only a lead that stands lower is changed: in one of the etapas of `:lower`, each between spaces.
UPDATE lead_etapa SET etapa = :etapa, desde = :now WHERE lead_id = :lead AND instr(:lower, ' ' || etapa || ' ') > 0
