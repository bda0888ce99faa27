UPDATE lead
SET nombre = :nombre,
    telefono = :telefono,
    telefono_e164 = :telefono_e164,
    email = :email,
    email_normal = :email_normal,
    provincia = :provincia,
    busqueda = :busqueda,
    actualizado_en = :now
WHERE id = :lead
