-- Locks the leads of these jobs, in the order of their ids. So the next statement (trabajo/held.sql) reads what was
-- committed last about them.
SELECT l.id, l.bucle_paso, l.bucle_desde, l.bucle_limite, l.bucle_vencido, l.bucle_resenales
FROM lead l
WHERE l.id = ANY (ARRAY(SELECT t.lead_id FROM trabajo t WHERE t.id = ANY (:id::uuid[])))
ORDER BY l.id
FOR NO KEY UPDATE OF l
