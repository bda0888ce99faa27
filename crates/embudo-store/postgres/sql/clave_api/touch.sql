UPDATE clave_api SET usada_en = :now::timestamptz, usada_desde = :desde::text WHERE id = :id::uuid AND (usada_en IS NULL OR usada_en < :now::timestamptz)
