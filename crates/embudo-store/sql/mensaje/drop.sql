-- A person did not send it after all.
DELETE FROM mensaje WHERE id = :id AND lead_id = :lead AND canal = :canal AND confirmado_en IS NULL
