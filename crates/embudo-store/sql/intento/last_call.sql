SELECT max(numero_intento) AS numero FROM intento WHERE lead_id = :lead AND canal = 'llamada'
