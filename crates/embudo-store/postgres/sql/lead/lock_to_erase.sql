-- Waits for whoever works on the lead, and keeps everybody from it until it is gone.
SELECT id FROM lead WHERE id = :lead::uuid FOR UPDATE
