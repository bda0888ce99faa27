-- Locks rows in the order of their ids. Later reads see what was committed last, and an erasure waits.
SELECT lead_id FROM lead_actividad WHERE lead_id = ANY (:lead::uuid[]) ORDER BY lead_id FOR UPDATE
