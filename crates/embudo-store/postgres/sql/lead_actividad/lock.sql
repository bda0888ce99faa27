-- What is read after this is the last word, and an erasure waits. In the order of their ids.
SELECT lead_id FROM lead_actividad WHERE lead_id = ANY (:lead::uuid[]) ORDER BY lead_id FOR UPDATE
