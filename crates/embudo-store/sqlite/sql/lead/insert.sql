-- ?1 id, ?2 empresa_id (NULL: the default company), ?3 creado_en, ?4–?10 contact, then the profile.
-- No row: there is no such company.
INSERT INTO lead (
    id, empresa_id, creado_en, actualizado_en,
    nombre, telefono, telefono_e164, email, email_normal, provincia, busqueda,
    {{@name}}
)
SELECT
    ?1, empresa.id, ?3, ?3,
    ?4, ?5, ?6, ?7, ?8, ?9, ?10,
    {{?@n}}
FROM empresa
WHERE empresa.id = coalesce(?2, (SELECT d.id FROM empresa AS d WHERE d.por_defecto = 1))
