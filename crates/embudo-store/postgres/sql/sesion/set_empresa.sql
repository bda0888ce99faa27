UPDATE sesion SET empresa_id = $2::uuid WHERE id = $1::uuid
