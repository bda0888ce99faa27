-- Appends a turn to a lead whose conversation has begun. For another lead, or if there is no such lead, `empresa_id` is
-- null, so `OR IGNORE` skips the row. One short row of `lead_etapa` answers both questions. One row of VALUES is
-- cheaper than INSERT … SELECT, which keeps a statement journal.
INSERT OR IGNORE INTO turno (
    id, empresa_id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en
)
VALUES (
    :id, (SELECT empresa_id FROM lead_etapa WHERE lead_id = :lead AND etapa <> :nuevo), :lead, :rol, :mensaje, :media_type,
    :media_url, :transcripcion_audio, :now
)
