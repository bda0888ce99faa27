UPDATE trabajo
SET estado = 'descartado', terminado_en = $2::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
WHERE id = $1::uuid
