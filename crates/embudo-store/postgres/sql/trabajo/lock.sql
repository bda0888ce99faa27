-- Locks jobs in the order of their ids.
SELECT id FROM trabajo WHERE id = ANY (:id::uuid[]) ORDER BY id FOR NO KEY UPDATE
