-- The query adds its conditions, order and limit. Long texts are cut, because the beginning is enough to be shown.
SELECT
    id, rol, substr(mensaje, 1, 16001) AS mensaje, substr(media_type, 1, 200) AS media_type, substr(media_url, 1, 2001) AS media_url,
    substr(transcripcion_audio, 1, 16001) AS transcripcion_audio, creado_en
FROM turno
