UPDATE sesion SET usada_en = :now::timestamptz WHERE id = :id::uuid AND usada_en < :now::timestamptz
