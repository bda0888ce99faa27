SELECT version, desde, texto, creado_en
FROM tarifa
WHERE empresa_id = $1::uuid AND desde <= $2::date
ORDER BY desde DESC, creado_en DESC, n DESC
LIMIT 1
