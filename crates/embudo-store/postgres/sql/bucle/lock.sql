-- Locks the lead, so that its loop moves and its jobs take each other's place one command at a time.
SELECT l.empresa_id, l.bucle_paso, l.bucle_desde, l.bucle_limite, l.bucle_vencido, l.bucle_resenales
FROM lead l
WHERE l.id = :lead::uuid
FOR NO KEY UPDATE OF l
