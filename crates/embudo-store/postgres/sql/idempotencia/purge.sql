-- Deletes expired keys. A row that a call has locked is in use and stays.
DELETE FROM idempotencia
WHERE ctid = ANY (ARRAY(
    SELECT ctid
    FROM idempotencia
    WHERE expira_en < :now::timestamptz
    ORDER BY expira_en
    LIMIT :limit::bigint
    FOR UPDATE SKIP LOCKED
))
