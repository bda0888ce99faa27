-- Keeps sweeps of this lead's blobs out until the commit, beside others that do the same.
SELECT pg_advisory_xact_lock_shared(:lock::bigint)
