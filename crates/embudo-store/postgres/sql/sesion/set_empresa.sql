UPDATE sesion SET empresa_id = :empresa::uuid WHERE id = :id::uuid
