UPDATE borrador SET tramo_apunte = :apunte, tramo_hoja = :hoja WHERE lead_id = :lead
