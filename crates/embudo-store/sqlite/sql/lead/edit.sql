-- ?1 id, ?2 actualizado_en, ?3–?9 contact data and search text, then the whole profile as it is from now on.
UPDATE lead SET
    actualizado_en = ?2, nombre = ?3, telefono = ?4, telefono_e164 = ?5, email = ?6, email_normal = ?7, provincia = ?8, busqueda = ?9,
    {{@name = ?@n}}
WHERE id = ?1
