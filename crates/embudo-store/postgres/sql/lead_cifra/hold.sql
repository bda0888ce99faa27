-- A row for each of these leads, so that whoever counts one waits for whoever is counting it.
INSERT INTO lead_cifra (lead_id, empresa_id, datos)
SELECT l.id, l.empresa_id, '[]' FROM lead l WHERE l.id = ANY (:lead::uuid[]) ORDER BY l.id
ON CONFLICT (lead_id) DO NOTHING
