SELECT a.lead_id, a.turno_en FROM lead_actividad a
JOIN atencion ON atencion.lead_id = a.lead_id
WHERE a.accion = 'responder' AND a.turno_en > :from AND a.turno_en <= :until AND atencion.ultimo_en > :since
ORDER BY a.turno_en, a.lead_id LIMIT :max
