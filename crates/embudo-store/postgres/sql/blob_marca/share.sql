-- Takes the lead's blob lock shared until the commit: no sweep can mark its blobs, and other ingestions do not wait.
SELECT pg_advisory_xact_lock_shared(:lock::bigint)
