INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta)
VALUES (:trabajo, :inicio, :duracion_ms, :ok, :status, :error, :respuesta)
