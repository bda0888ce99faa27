-- One change of the companies at a time: exactly one is the default one.
SELECT pg_advisory_xact_lock(:lock::bigint)
