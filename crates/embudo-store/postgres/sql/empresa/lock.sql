-- Nobody else changes the company. Rows that name it may still come.
SELECT id FROM empresa WHERE id = :id::uuid FOR NO KEY UPDATE
