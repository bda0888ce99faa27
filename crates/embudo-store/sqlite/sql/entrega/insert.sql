-- ?1 trabajo_id, ?2 inicio, ?3 duracion_ms, ?4 ok, ?5 status, ?6 error, ?7 respuesta.
INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
