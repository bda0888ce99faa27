-- Locks many leads, so that their jobs take each other's place one command at a time, and reads them with their companies as
-- they are once the locks are had. In the order of their ids, so that nobody waits in a circle.
SELECT
    l.*, e.nombre AS empresa_nombre, e.slug AS empresa_slug, e.por_defecto AS empresa_por_defecto,
    e.email_avisos AS empresa_email_avisos, e.avisos AS empresa_avisos, e.avisos_elegidos AS empresa_avisos_elegidos,
    e.avisos_personas AS empresa_avisos_personas
FROM lead l
JOIN empresa e ON e.id = l.empresa_id
WHERE l.id = ANY (:lead::uuid[])
ORDER BY l.id
FOR NO KEY UPDATE OF l
