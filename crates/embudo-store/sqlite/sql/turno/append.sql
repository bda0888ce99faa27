-- Of a lead whose conversation has begun; of any other, or without such a lead, the company is missing and the row is
-- ignored. The narrow row of its etapa tells it with one look. One row of VALUES is cheaper than INSERT … SELECT, which
-- keeps a statement journal.
INSERT OR IGNORE INTO turno (
    id, empresa_id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en
)
VALUES (
    :id, (SELECT empresa_id FROM lead_etapa WHERE lead_id = :lead AND etapa <> :nuevo), :lead, :rol, :mensaje, :media_type,
    :media_url, :transcripcion_audio, :now
)
