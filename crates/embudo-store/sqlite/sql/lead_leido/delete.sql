DELETE FROM lead_leido WHERE lead_id = ?1 AND usuario_id = ?2
