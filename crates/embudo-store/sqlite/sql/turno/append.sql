-- ?1 lead_id, ?2 id, ?3 rol, ?4 mensaje, ?5 media_type, ?6 media_url, ?7 transcripcion_audio, ?8 creado_en.
-- No row: there is no such lead.
INSERT INTO turno (
    id, empresa_id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en
)
SELECT ?2, empresa_id, id, ?3, ?4, ?5, ?6, ?7, ?8 FROM lead WHERE id = ?1
