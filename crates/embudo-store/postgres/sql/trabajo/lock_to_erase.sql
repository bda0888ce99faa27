-- Waits for attempts that are ending, and keeps others from it until the jobs are gone. In the order of their ids, as ends take them.
SELECT id FROM trabajo WHERE lead_id = :lead::uuid ORDER BY id FOR UPDATE
