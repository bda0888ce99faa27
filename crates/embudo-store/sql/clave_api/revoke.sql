UPDATE clave_api SET revocada_en = :now WHERE id = :id AND empresa_id = :empresa AND revocada_en IS NULL
