SELECT version, desde, creado_en FROM tarifa
