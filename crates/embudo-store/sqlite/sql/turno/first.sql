-- Begins the conversation of a lead with its first turn; at later turns nothing changes.
UPDATE lead_etapa SET etapa = :hablado, desde = :now WHERE lead_id = :lead AND etapa = :nuevo
