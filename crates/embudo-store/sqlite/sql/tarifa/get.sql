SELECT version, desde, texto, creado_en FROM tarifa WHERE empresa_id = ?1 AND version = ?2
