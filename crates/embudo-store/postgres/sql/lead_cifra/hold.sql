-- Inserts the leads that have no row yet; lead_cifra/lock.sql then locks all of them, so that two processes never count
-- one lead at once.
INSERT INTO lead_cifra (lead_id, empresa_id, datos)
SELECT l.id, l.empresa_id, '[]' FROM lead l WHERE l.id = ANY (:lead::uuid[]) ORDER BY l.id
ON CONFLICT (lead_id) DO NOTHING
