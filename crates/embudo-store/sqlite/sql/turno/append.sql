-- ?1 lead_id, ?2 id, ?3 rol, ?4 mensaje, ?5 media_type, ?6 media_url, ?7 transcripcion_audio, ?8 creado_en.
-- Without such a lead the company is missing and the row is ignored. One row of VALUES is cheaper than INSERT … SELECT,
-- which keeps a statement journal.
INSERT OR IGNORE INTO turno (
    id, empresa_id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en
)
VALUES (?2, (SELECT empresa_id FROM lead WHERE id = ?1), ?1, ?3, ?4, ?5, ?6, ?7, ?8)
