-- Confirms a reply that a person sent with their own telephone.
UPDATE mensaje SET confirmado_en = :now WHERE id = :id AND lead_id = :lead AND canal = :canal AND confirmado_en IS NULL
