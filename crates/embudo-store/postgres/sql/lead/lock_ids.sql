-- Locks leads in the order of their ids, so that only one command at a time changes the facts that decide their etapa.
SELECT id FROM lead WHERE id = ANY (:lead::uuid[]) ORDER BY id FOR NO KEY UPDATE
