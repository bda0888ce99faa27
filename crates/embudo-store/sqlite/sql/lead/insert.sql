-- `:empresa` NULL: the default company. No row: there is no such company.
INSERT INTO lead (
    id, empresa_id, creado_en, actualizado_en,
    nombre, telefono, telefono_e164, email, email_normal, provincia, busqueda, importado,
    {{@name}}
)
SELECT
    :id, empresa.id, :now, :now,
    :nombre, :telefono, :telefono_e164, :email, :email_normal, :provincia, :busqueda, :importado,
    {{:@name}}
FROM empresa
WHERE empresa.id = coalesce(:empresa, (SELECT d.id FROM empresa AS d WHERE d.por_defecto = 1))
