-- Overwrites contact data, search text and the whole profile.
UPDATE lead SET
    actualizado_en = :now, nombre = :nombre, telefono = :telefono, telefono_e164 = :telefono_e164, email = :email,
    email_normal = :email_normal, provincia = :provincia, busqueda = :busqueda,
    {{@name = :@name}}
WHERE id = :lead
