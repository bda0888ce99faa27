UPDATE sesion SET empresa_id = :empresa WHERE id = :id
