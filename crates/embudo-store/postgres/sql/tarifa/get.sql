SELECT version, desde, texto, creado_en FROM tarifa WHERE empresa_id = $1::uuid AND version = $2::text
