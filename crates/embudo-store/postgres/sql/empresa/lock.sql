-- Locks companies in the order of their ids: nobody else can change them, but rows that refer to them can be inserted.
SELECT id FROM empresa WHERE id = ANY (:id::uuid[]) ORDER BY id FOR NO KEY UPDATE
