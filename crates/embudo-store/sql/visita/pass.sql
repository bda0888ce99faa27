UPDATE visita SET vigente_hasta = NULL WHERE lead_id = :lead AND vigente_hasta <= :now
