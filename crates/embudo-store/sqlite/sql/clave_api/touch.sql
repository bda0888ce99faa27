UPDATE clave_api SET usada_en = :now WHERE id = :id AND (usada_en IS NULL OR usada_en < :now)
