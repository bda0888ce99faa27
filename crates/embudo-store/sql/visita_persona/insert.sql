INSERT INTO visita_persona (lead_id, visita_id, usuario_id, fin) VALUES (:lead, :visita, :usuario, :fin)
