SELECT n, texto FROM lead_busqueda WHERE lead_id = ?1
