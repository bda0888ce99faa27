INSERT INTO visita_persona (lead_id, visita_id, usuario_id, fin)
SELECT :lead, :visita, u, :fin FROM unnest(:usuario::uuid[]) AS u
