-- Locks the lead, so that only one call at a time numbers its photos and moves its loop, and takes its blob lock
-- shared, so that no sweep can mark its blobs until the commit.
SELECT
    l.tipo_reforma, l.empresa_id, l.bucle_paso, l.bucle_desde, l.bucle_limite, l.bucle_vencido, l.bucle_resenales,
    pg_advisory_xact_lock_shared(:lock::bigint)
FROM lead l
WHERE l.id = :lead::uuid
FOR NO KEY UPDATE OF l
