UPDATE sesion SET usada_en = $2::timestamptz WHERE id = $1::uuid AND usada_en < $2::timestamptz
