-- A lead of a version that knew no etapas.
INSERT OR IGNORE INTO lead_etapa (lead_id, empresa_id, etapa, desde)
SELECT id, empresa_id, :etapa, creado_en FROM lead WHERE id = :lead
