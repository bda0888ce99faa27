-- Lets only one transaction at a time project a lead, even a lead that has no row yet. Takes the locks in the order of
-- their keys, so that there is no deadlock.
SELECT pg_advisory_xact_lock(k.key)
FROM (SELECT DISTINCT uuid_hash_extended(u.id, 0) AS key FROM unnest(:lead::uuid[]) AS u (id) ORDER BY 1) AS k
