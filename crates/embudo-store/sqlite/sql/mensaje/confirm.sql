-- The workflow recorded a reply.
UPDATE mensaje SET confirmado_en = :now, turno_id = :turno WHERE id = :id AND lead_id = :lead AND canal = :canal AND confirmado_en IS NULL
