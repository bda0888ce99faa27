-- Nobody else changes the companies. Rows that name them may still come. In the order of their ids.
SELECT id FROM empresa WHERE id = ANY (:id::uuid[]) ORDER BY id FOR NO KEY UPDATE
