UPDATE clave_api SET usada_en = :now::timestamptz WHERE id = :id::uuid AND (usada_en IS NULL OR usada_en < :now::timestamptz)
