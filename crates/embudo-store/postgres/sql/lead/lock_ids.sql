-- Locks leads, so that what their etapa is derived from changes one command at a time. In the order of their ids.
SELECT id FROM lead WHERE id = ANY (:lead::uuid[]) ORDER BY id FOR NO KEY UPDATE
