-- One projection of a lead at a time, also of a lead that has no row yet. In the order of the keys, so that no two projections wait for
-- each other.
SELECT pg_advisory_xact_lock(k.key)
FROM (SELECT DISTINCT uuid_hash_extended(u.id, 0) AS key FROM unnest(:lead::uuid[]) AS u (id) ORDER BY 1) AS k
