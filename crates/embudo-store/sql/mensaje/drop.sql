-- Deletes a reply that a person did not send after all.
DELETE FROM mensaje WHERE id = :id AND lead_id = :lead AND canal = :canal AND confirmado_en IS NULL
