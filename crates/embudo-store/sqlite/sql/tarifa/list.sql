SELECT version, desde, texto, creado_en FROM tarifa WHERE empresa_id = ?1 ORDER BY desde DESC, creado_en DESC, n DESC
