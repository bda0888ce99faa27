-- Rows that a call has locked are in use and stay.
DELETE FROM idempotencia
WHERE ctid = ANY (ARRAY(
    SELECT ctid
    FROM idempotencia
    WHERE expira_en < :now::timestamptz
    ORDER BY expira_en
    LIMIT :limit::bigint
    FOR UPDATE SKIP LOCKED
))
