-- Waits for transactions that use the lead, and keeps others from it until it is deleted.
SELECT id FROM lead WHERE id = :lead::uuid FOR UPDATE
