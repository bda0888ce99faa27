-- Waits for commands that end attempts of this lead's jobs, and keeps others from locking the jobs until they are
-- deleted.
-- Locks in the order of their ids, like trabajo/held.sql.
SELECT id FROM trabajo WHERE lead_id = :lead::uuid ORDER BY id FOR UPDATE
