SELECT score, nivel, criterios, notas_agente FROM calificacion WHERE lead_id = :lead
