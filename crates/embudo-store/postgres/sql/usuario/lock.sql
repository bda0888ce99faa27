-- One change of who may do what at a time: there is one first person, and always an administrator.
SELECT pg_advisory_xact_lock(:lock::bigint)
