UPDATE clave_api SET usada_en = :now, usada_desde = :desde WHERE id = :id AND (usada_en IS NULL OR usada_en < :now)
