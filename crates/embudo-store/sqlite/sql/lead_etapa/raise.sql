-- Changes a lead only if its etapa is one of `:lower`, a text in which each etapa stands between spaces.
UPDATE lead_etapa SET etapa = :etapa, desde = :now WHERE lead_id = :lead AND instr(:lower, ' ' || etapa || ' ') > 0
