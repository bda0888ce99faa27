-- Inserts the etapa of a lead that was created by a version without etapas.
INSERT OR IGNORE INTO lead_etapa (lead_id, empresa_id, etapa, desde)
SELECT id, empresa_id, :etapa, creado_en FROM lead WHERE id = :lead
