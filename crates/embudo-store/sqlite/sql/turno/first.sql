-- The first turn of a lead; for any other there is nothing to change.
UPDATE lead_etapa SET etapa = :hablado, desde = :now WHERE lead_id = :lead AND etapa = :nuevo
