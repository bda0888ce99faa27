-- Only the first time on a day, and only of a lead that is there.
INSERT INTO lead_visto (lead_id, dia, usuario_id, primero_en)
SELECT l.id, :dia, :usuario, :now FROM lead l WHERE l.id = :lead
ON CONFLICT (lead_id, dia, usuario_id) DO NOTHING
