-- Waits for transactions that have locked the lead, and keeps others from locking it until it is deleted.
SELECT id FROM lead WHERE id = :lead::uuid FOR UPDATE
