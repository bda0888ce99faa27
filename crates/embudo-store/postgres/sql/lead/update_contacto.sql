UPDATE lead
SET nombre = $2, telefono = $3, telefono_e164 = $4, email = $5, email_normal = $6, provincia = $7, busqueda = $8,
    actualizado_en = $9
WHERE id = $1
