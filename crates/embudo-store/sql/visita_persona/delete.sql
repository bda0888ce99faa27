DELETE FROM visita_persona WHERE lead_id = :lead AND visita_id = :visita
