UPDATE lead SET
    actualizado_en = :now,
    nombre = :nombre,
    telefono = :telefono,
    telefono_e164 = :telefono_e164,
    email = :email,
    email_normal = :email_normal,
    provincia = :provincia,
    busqueda = :busqueda
WHERE id = :lead
