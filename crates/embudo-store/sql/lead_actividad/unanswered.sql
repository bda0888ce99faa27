SELECT lead_id, turno_en FROM lead_actividad
WHERE accion = 'responder' AND turno_en > :from AND turno_en <= :until
ORDER BY turno_en, lead_id LIMIT :max
