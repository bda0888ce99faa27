SELECT
    l.*, e.nombre AS empresa_nombre, e.slug AS empresa_slug, e.por_defecto AS empresa_por_defecto,
    e.email_avisos AS empresa_email_avisos, e.avisos AS empresa_avisos
FROM lead l
JOIN empresa e ON e.id = l.empresa_id
WHERE l.id = $1::uuid
