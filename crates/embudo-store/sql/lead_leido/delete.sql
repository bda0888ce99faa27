DELETE FROM lead_leido WHERE lead_id = :lead AND usuario_id = :who
