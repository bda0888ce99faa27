UPDATE lead_etapa SET etapa = $2::text, desde = $3::timestamptz WHERE lead_id = $1::uuid AND etapa <> $2::text
