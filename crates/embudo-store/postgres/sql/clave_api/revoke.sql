UPDATE clave_api SET revocada_en = :now::timestamptz WHERE id = :id::uuid AND empresa_id = :empresa::uuid AND revocada_en IS NULL
