SELECT id, rol, mensaje, media_type, media_url, transcripcion_audio, creado_en FROM turno WHERE lead_id = :lead ORDER BY n
