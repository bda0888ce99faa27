-- Locks many leads, so that only one command at a time supersedes their jobs, and reads them under the lock, with their
-- companies. Locks in the order of their ids, so that there is no deadlock.
SELECT
    l.*, e.nombre AS empresa_nombre, e.slug AS empresa_slug, e.por_defecto AS empresa_por_defecto,
    e.email_avisos AS empresa_email_avisos, e.avisos AS empresa_avisos, e.avisos_elegidos AS empresa_avisos_elegidos,
    e.avisos_personas AS empresa_avisos_personas
FROM lead l
JOIN empresa e ON e.id = l.empresa_id
WHERE l.id = ANY (:lead::uuid[])
ORDER BY l.id
FOR NO KEY UPDATE OF l
