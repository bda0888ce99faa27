-- Waits for the ingestions of this lead that are running, and keeps later ones out until the mark is committed.
SELECT pg_advisory_xact_lock(:lock::bigint)
