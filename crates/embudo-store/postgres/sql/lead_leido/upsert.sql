-- The latest look counts.
INSERT INTO lead_leido (lead_id, usuario_id, visto_en)
SELECT lead_id, :who::uuid, :now::timestamptz FROM unnest(:lead::uuid[]) AS l (lead_id)
ON CONFLICT (lead_id, usuario_id) DO UPDATE SET visto_en = greatest(lead_leido.visto_en, excluded.visto_en)
