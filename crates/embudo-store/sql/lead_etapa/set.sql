UPDATE lead_etapa SET etapa = :etapa, desde = :now WHERE lead_id = :lead AND etapa <> :etapa
