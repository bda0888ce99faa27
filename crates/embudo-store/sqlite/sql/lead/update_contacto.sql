UPDATE lead SET
    actualizado_en = ?2,
    nombre = ?3,
    telefono = ?4,
    telefono_e164 = ?5,
    email = ?6,
    email_normal = ?7,
    provincia = ?8,
    busqueda = ?9
WHERE id = ?1
