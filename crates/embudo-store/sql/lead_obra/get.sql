SELECT {{@name}} FROM lead_obra WHERE lead_id = :lead
