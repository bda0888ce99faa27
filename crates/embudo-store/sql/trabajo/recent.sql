-- Jobs without their payload. The query adds its conditions, order and limit.
SELECT id, tipo, estado, intentos, proximo_en, ultimo_error, creado_en, terminado_en FROM trabajo
