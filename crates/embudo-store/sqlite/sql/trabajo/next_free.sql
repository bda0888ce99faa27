-- When the first job of kind ?1 that nobody holds is due.
SELECT min(proximo_en) AS moment FROM trabajo WHERE estado = 'pendiente' AND arrendado_hasta IS NULL AND tipo = ?1
