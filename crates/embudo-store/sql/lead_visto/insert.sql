-- Keeps the first time of a day. Writes no row if there is no such lead.
INSERT INTO lead_visto (lead_id, dia, usuario_id, primero_en)
SELECT l.id, :dia, :usuario, :now FROM lead l WHERE l.id = :lead
ON CONFLICT (lead_id, dia, usuario_id) DO NOTHING
