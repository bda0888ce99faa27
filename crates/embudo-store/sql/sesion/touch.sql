UPDATE sesion SET usada_en = :now WHERE id = :id AND usada_en < :now
