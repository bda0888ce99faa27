INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde) SELECT id, empresa_id, :etapa, :now FROM lead WHERE id = :lead
