-- ?1 empresa_id, ?2 the day.
SELECT version, desde, texto, creado_en FROM tarifa
WHERE empresa_id = ?1 AND desde <= ?2
ORDER BY desde DESC, creado_en DESC, n DESC LIMIT 1
