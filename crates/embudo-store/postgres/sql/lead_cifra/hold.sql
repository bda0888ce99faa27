-- A row for each of these leads. It is locked, so that two processes never count one lead at once.
INSERT INTO lead_cifra (lead_id, empresa_id, datos)
SELECT l.id, l.empresa_id, '[]' FROM lead l WHERE l.id = ANY (:lead::uuid[]) ORDER BY l.id
ON CONFLICT (lead_id) DO NOTHING
