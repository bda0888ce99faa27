UPDATE lead_etapa SET etapa = :etapa::text, desde = :now::timestamptz WHERE lead_id = :lead::uuid AND etapa <> :etapa::text
