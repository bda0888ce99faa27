-- Confirms a reply that the workflow recorded.
UPDATE mensaje SET confirmado_en = :now, turno_id = :turno WHERE id = :id AND lead_id = :lead AND canal = :canal AND confirmado_en IS NULL
