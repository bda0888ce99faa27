SELECT version, desde, texto, creado_en FROM tarifa
