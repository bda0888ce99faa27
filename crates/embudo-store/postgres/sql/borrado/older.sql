-- Whether a transaction in this database began before a moment and has not ended.
SELECT EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND xact_start <= :since::timestamptz
) AS older
