-- The latest look counts.
INSERT INTO lead_leido (lead_id, usuario_id, visto_en) VALUES (:lead, :who, :now)
ON CONFLICT (lead_id, usuario_id) DO UPDATE SET visto_en = max(visto_en, excluded.visto_en)
